"""Reads the tensor behind __dlpack__: the structures of dlpack.h, version 1 without flags and before."""

import ctypes as c

from . import zabi
from .errors import ArgumentError

_CPU, _CUDA, _HOST, _MANAGED = 1, 2, 3, 13
_CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 6: "bool"}


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32), ("code", c.c_uint8),
                ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("byte_offset", c.c_uint64)]


_pointer = c.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]


def read(x, stream):
    """Address, shape, strides, element type, device and stream of an array. The capsule is not consumed: the array's owner keeps the memory."""
    kind, ordinal = x.__dlpack_device__()
    if kind in (_CUDA, _MANAGED):
        device, stream = (zabi.CUDA, ordinal), stream or 1
        capsule = x.__dlpack__(stream=stream)
    elif kind in (_CPU, _HOST):
        device, stream = (zabi.EMULATED, 0), 0
        capsule = x.__dlpack__()
    else:
        raise ArgumentError(f"DLPack device type {kind}: want CUDA or CPU")
    t = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    dtype = "bool" if t.code == 6 else f"{_CODES.get(t.code, '?')}{t.bits}"
    if dtype not in zabi.DTYPES or t.lanes != 1:
        raise ArgumentError(f"DLPack type code {t.code} of {t.bits} bits and {t.lanes} lanes: no operator takes that")
    shape = tuple(t.shape[i] for i in range(t.ndim))
    strides = tuple(t.strides[i] for i in range(t.ndim)) if t.strides else None
    if strides is None:
        from .arrays import dense

        strides = dense(shape)
    return (t.data or 0) + t.byte_offset, shape, strides, dtype, device, stream
