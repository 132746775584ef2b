"""Reads address, shape, strides, element type and device off an array of any library, without a copy."""

import functools
import math
import sys
from typing import Any, NamedTuple

from . import dlpack, zabi
from .errors import ArgumentError

HOST = (zabi.EMULATED, 0)  # host memory is the emulated device's

_TYPESTR = {"f8": "f64", "f4": "f32", "f2": "f16", "i8": "i64", "i4": "i32", "i2": "i16", "i1": "i8", "u8": "u64", "u4": "u32",
            "u2": "u16", "u1": "u8", "b1": "bool"}
_NAMED = {"bfloat16": "bf16", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}  # as ml_dtypes calls them
_torch_types = {}


class View(NamedTuple):
    data: int
    shape: tuple
    strides: tuple  # in elements
    dtype: str
    device: tuple  # kind and ordinal
    stream: int  # that the array's owner works on
    owner: Any
    readonly: bool = False


def torch_types():
    """Our names of torch's element types."""
    if not _torch_types:
        torch = sys.modules["torch"]
        for name, t in (("float64", "f64"), ("float32", "f32"), ("float16", "f16"), ("bfloat16", "bf16"), ("float8_e4m3fn", "e4m3"),
                        ("float8_e5m2", "e5m2"), ("int64", "i64"), ("int32", "i32"), ("int16", "i16"), ("int8", "i8"), ("uint8", "u8"), ("bool", "bool")):
            _torch_types[getattr(torch, name)] = t
    return _torch_types


def outline(x, stream=None):
    """The address of an array, and all else that decides a plan: a value to look one up by. The short way for torch."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return x.data_ptr(), (x.shape, x.stride(), x.dtype, x.device)
    v = view(x, stream)
    return v.data, (*v[1:5], v.readonly)


def stream(x):
    """The stream that an array's owner works on."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return torch.cuda.current_stream(x.device).cuda_stream
    return view(x).stream


def view(x, stream=None):
    """The view of an array. stream is what the caller works on, where the protocol asks."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _torch(torch, x)
    if hasattr(x, "__cuda_array_interface__"):
        i = x.__cuda_array_interface__
        return _interface(x, i, (zabi.CUDA, _ordinal(x)), i.get("stream") or 1)
    if hasattr(x, "__array_interface__"):
        return _interface(x, x.__array_interface__, HOST, 0)
    if hasattr(x, "__dlpack__"):
        return View(*dlpack.read(x, stream), owner=x)
    raise ArgumentError(f"{type(x).__name__} is no array: want torch, numpy, DLPack or an array interface")


def _torch(torch, x):
    dtype = torch_types().get(x.dtype)
    if dtype is None or x.layout is not torch.strided:
        raise ArgumentError(f"a tensor of {x.dtype}, {x.layout}: no operator takes that")
    if x.device.type == "cuda":
        index = x.device.index
        return View(x.data_ptr(), tuple(x.shape), x.stride(), dtype, (zabi.CUDA, index), torch.cuda.current_stream(index).cuda_stream, x)
    if x.device.type == "cpu":
        return View(x.data_ptr(), tuple(x.shape), x.stride(), dtype, HOST, 0, x)
    raise ArgumentError(f"a tensor on {x.device}: want cuda or cpu")


def _ordinal(x):
    d = getattr(x, "device", 0)  # CuPy's; others have one device in use
    return d if isinstance(d, int) else getattr(d, "id", 0)


def _interface(x, i, device, stream):
    dtype = _NAMED.get(str(getattr(x, "dtype", ""))) or _TYPESTR.get(i["typestr"][1:])
    if dtype is None or i["typestr"][0] == ">":
        raise ArgumentError(f"elements of type {i['typestr']}: no operator takes that")
    if i.get("mask") is not None:
        raise ArgumentError("a masked array: no operator takes that")
    if i.get("data") is None:
        raise ArgumentError(f"{type(x).__name__} gives no address of its data")
    (data, readonly), shape, strides, size = i["data"], tuple(i["shape"]), i.get("strides"), zabi.DTYPES[dtype][1]
    if strides is None:
        strides = dense(shape)
    elif any(s % size for s in strides):
        raise ArgumentError(f"strides of {strides} bytes are no multiples of an element")
    else:
        strides = tuple(s // size for s in strides)
    return View(data, shape, strides, dtype, device, stream, x, readonly)


def dense(shape):
    """Row-major strides without gaps."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)


def maker(like, shape, dtype):
    """A function that makes an array of the library that made the view's array."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like.owner, torch.Tensor):
        names = {v: k for k, v in torch_types().items()}
        return functools.partial(torch.empty, shape, dtype=names[dtype], device=like.owner.device)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(like.owner, numpy.ndarray):
        names = {v: k for k, v in _TYPESTR.items()}
        if dtype not in names:
            raise ArgumentError(f"numpy has no {dtype}: give the output")
        return functools.partial(_numpy_empty, numpy, shape, "<" + names[dtype], math.prod(shape) * zabi.DTYPES[dtype][1])
    raise ArgumentError(f"{type(like.owner).__name__}: give the output, it cannot be made")


def _numpy_empty(numpy, shape, dtype, count):
    room = numpy.empty(count + 64, numpy.uint8)
    start = -room.ctypes.data % 64  # aligned, for the fast kernels
    return room[start : start + count].view(dtype).reshape(shape)
