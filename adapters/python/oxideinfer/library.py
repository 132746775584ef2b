"""The shared library, its devices, and the plans and streams that they keep."""

import collections
import ctypes
import os
import threading

from . import errors, zabi
from .infer import refuse

_lock = threading.Lock()
_loaded = None
_devices = {}


def path():
    """The library of this package, or what OXIDE_LIBRARY names."""
    return os.environ.get("OXIDE_LIBRARY") or os.path.join(os.path.dirname(__file__), "liboxide.so")


class Library:
    def __init__(self, name):
        self.c = ctypes.CDLL(name)
        if self.c.oxide_abi_version() != zabi.ABI_VERSION:
            raise errors.OxideError(f"{name}: ABI version {self.c.oxide_abi_version()}, want {zabi.ABI_VERSION}")
        for function, types in zabi.FUNCTIONS.items():
            getattr(self.c, "oxide_" + function).argtypes = types
        self.c.oxide_error_get.argtypes = [ctypes.c_void_p]
        self.c.oxide_version.restype = ctypes.c_char_p
        # Enqueue returns at once: letting go of the interpreter's lock around it would only cost time.
        self.enqueue = ctypes.PyDLL(name).oxide_enqueue
        self.enqueue.argtypes = zabi.FUNCTIONS["enqueue"]

    def check(self, status):
        """Raises the exception of a status that is an error."""
        if status:
            e = new(zabi.Error)
            self.c.oxide_error_get(ctypes.byref(e))
            raise errors.of(status, e)

    def version(self):
        return self.c.oxide_version().decode()


def new(struct):
    """A struct with its header."""
    return struct(ctypes.sizeof(struct), struct.VERSION)


def load():
    """The library, loaded once a process."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = Library(path())
    return _loaded


class Recent:
    """Keeps at most `most` values by key. The one that was asked for longest ago goes first."""

    def __init__(self, most):
        self.most, self.entries, self.lock = most, collections.OrderedDict(), threading.Lock()

    def get(self, key):
        """The value of a key, None without one."""
        value = self.entries.get(key)
        if value is not None:
            try:
                self.entries.move_to_end(key)
            except KeyError:  # another thread has made it go
                pass
        return value

    def keep(self, key, value):
        """Keeps a value unless another thread was first, and returns the one that is kept."""
        with self.lock:
            value = self.entries.setdefault(key, value)
            self.entries.move_to_end(key)
            while len(self.entries) > self.most:
                self.entries.popitem(last=False)
            return value


class Plan(int):
    """The handle of a plan. The plan goes with the last reference, so that a call that is being made keeps it."""

    def __new__(cls, lib, handle):
        plan = super().__new__(cls, handle)
        plan.destroy = lib.c.oxide_plan_destroy
        return plan

    def __del__(self):
        self.destroy(int(self))


class Device:
    """An open device with its streams, which live as long as the process, and the plans that were used last."""

    PLANS = 256

    def __init__(self, kind, ordinal):
        self.lib, self.kind, self.ordinal = load(), kind, ordinal
        self.lock = threading.Lock()
        self.streams, self.plans = {}, Recent(self.PLANS)
        handle = ctypes.c_uint64()
        self.lib.check(self.lib.c.oxide_device_open(kind, ordinal, ctypes.byref(handle)))
        self.handle = handle.value

    def info(self):
        """The device's properties, a zabi.DeviceInfo."""
        i = new(zabi.DeviceInfo)
        self.lib.check(self.lib.c.oxide_device_get_info(self.handle, ctypes.byref(i)))
        return i

    def stream(self, raw):
        """The library's handle of a CUDA stream."""
        handle = self.streams.get(raw)
        if handle is None:
            with self.lock:
                out = ctypes.c_uint64()
                self.lib.check(self.lib.c.oxide_stream_open(self.handle, raw, ctypes.byref(out)))
                handle = self.streams.setdefault(raw, out.value)
        return handle

    def spec(self, op, values):
        """The spec struct of values by field name."""
        s = new(op.spec)
        for f in op.fields:
            value = values[f.name]
            try:
                setattr(s, f.name, value)
            except (TypeError, OverflowError):
                raise refuse(op, f.name, "a number in range", repr(value)) from None
            stored = getattr(s, f.name)
            if isinstance(stored, int) and stored != value:  # ctypes drops the bits that do not fit
                raise refuse(op, f.name, "a number in range", value)
        return s

    def plan(self, op, values, algorithm=None):
        """The plan for a spec; equal specs share one while it is kept."""
        key = (op.name, tuple(values.items()), algorithm)
        handle = self.plans.get(key)
        if handle is None:
            with self.lock:
                out, s = ctypes.c_uint64(), self.spec(op, values)
                name = text(algorithm, "algorithm")
                self.lib.check(self.lib.c.oxide_plan_create(self.handle, ctypes.byref(s), name, ctypes.byref(out)))
                handle = self.plans.keep(key, Plan(self.lib, out.value))
        return handle

    def plan_info(self, handle):
        """What a plan decided, a zabi.PlanInfo."""
        i = new(zabi.PlanInfo)
        self.lib.check(self.lib.c.oxide_plan_get_info(handle, ctypes.byref(i)))
        return i

    def capabilities(self, op, values):
        """Each algorithm's answer to a spec, a list of zabi.Capability."""
        s, count = self.spec(op, values), ctypes.c_int32()
        query = self.lib.c.oxide_capability_query
        self.lib.check(query(self.handle, ctypes.byref(s), None, 0, ctypes.byref(count)))
        all_ = (zabi.Capability * count.value)(*[new(zabi.Capability) for _ in range(count.value)])
        self.lib.check(query(self.handle, ctypes.byref(s), all_, count.value, ctypes.byref(count)))
        return list(all_)


def text(s, name):
    """A string as C reads it, None for an empty one."""
    if not s:
        return None
    if not isinstance(s, str) or "\0" in s:
        raise errors.ArgumentError(f"{name}: want a name, got {s!r}")
    return s.encode(errors="backslashreplace")


def device(kind, ordinal):
    """The device of a kind and a number, opened once a process."""
    d = _devices.get((kind, ordinal))
    if d is None:
        with _lock_devices:
            d = _devices.get((kind, ordinal))
            if d is None:
                d = _devices[kind, ordinal] = Device(kind, ordinal)
    return d


_lock_devices = threading.Lock()
