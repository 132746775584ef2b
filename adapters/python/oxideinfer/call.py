"""Calls an operator on arrays. What shapes and types decide is found once and kept."""

import contextlib
import ctypes
import functools
import threading
from typing import Callable, NamedTuple

from . import arrays, infer, zabi
from .library import Device, Plan, Recent, device, new

_made = Recent(1024)  # by everything but addresses
_local = threading.local()
_host = threading.Lock()  # memory of the host is mapped for one call at a time


class Prepared(NamedTuple):
    """A call but for its addresses. It is laid out in 64-bit words: a header, the sizes, and three words a tensor, the first its address."""

    device: Device
    plan: Plan
    copy: Callable  # makes the words of one call
    at: dict  # the word of each operand's address
    makers: tuple  # (name, function) of outputs to be made
    results: tuple  # names, in order
    sizes: dict  # bytes of an element of each operand
    like: str  # the input whose stream counts


@contextlib.contextmanager
def on_stream(raw):
    """Runs the calls inside on this CUDA stream, for arrays whose library does not say its own."""
    before = getattr(_local, "stream", None)
    _local.stream = raw
    try:
        yield
    finally:
        _local.stream = before


def run(name, tensors, values, algorithm=None):
    """Calls an operator: arrays by operand name (None: absent, or to be made) and spec values by field name."""
    stream = getattr(_local, "stream", None)
    key, addresses = [name, algorithm, *values.values()], {}
    for n, t in tensors.items():
        if t is not None:
            address, outline = arrays.outline(t, stream)
            addresses[n] = address
            key += (n, outline, address & 15)
    key = tuple(key)
    p = _made.get(key)
    if p is None:
        views = {n: arrays.view(t, stream) for n, t in tensors.items() if t is not None}
        p = _made.keep(key, prepare(zabi.OPERATORS[name], views, values, algorithm))
    if p.makers:
        tensors = dict(tensors)
        for n, make in p.makers:
            tensors[n] = made = make()
            addresses[n] = arrays.outline(made, stream)[0]
    words = p.copy()
    for n, address in addresses.items():
        words[p.at[n]] = address
    if p.device.kind == zabi.EMULATED:
        on_host(p, words)
    else:
        raw = arrays.stream(tensors[p.like]) if stream is None else stream
        status = p.device.lib.enqueue(p.plan, p.device.streams.get(raw) or p.device.stream(raw), words, None)
        if status:
            p.device.lib.check(status)
    if len(p.results) == 1:
        return tensors[p.results[0]]
    return tuple(tensors[n] for n in p.results)


def on_host(p, words):
    """Runs a call on the emulated device and waits for it."""
    ranges = []
    for n, i in p.at.items():
        begin, end = words[i], words[i] + words[i + 1] * p.sizes[n]
        if end > begin:
            ranges.append([begin, end])
    apart = []
    for r in sorted(ranges):
        if apart and r[0] < apart[-1][1]:
            apart[-1][1] = max(apart[-1][1], r[1])
        else:
            apart.append(r)
    d, mapped, done = p.device, [], ctypes.c_uint64()
    c, check = d.lib.c, d.lib.check
    with _host:
        try:
            for begin, end in apart:
                check(c.oxide_host_map(d.handle, begin, end - begin))
                mapped.append(begin)
            check(c.oxide_enqueue(p.plan, d.stream(0), words, ctypes.byref(done)))
            check(c.oxide_completion_wait(done, -1))
        finally:
            for begin in mapped:
                check(c.oxide_host_unmap(d.handle, begin))


def prepare(op, views, values, algorithm):
    """Finds the spec in the arrays, makes or finds the plan, and lays out the call."""
    b = infer.Binding(op)
    b.presence(views, values)
    devices = {v.device for v in views.values()}
    if len(devices) != 1:
        raise infer.refuse(op, "arrays", "one device", sorted(devices))
    given = [o for o in op.operands if o.name in views]
    for o in given:
        if not b.exists(o):
            raise infer.refuse(op, o.name, "none, as the other arrays exclude it", "an array")
        if o.access != "in" and views[o.name].readonly:
            raise infer.refuse(op, o.name, "memory that may be written", "a read-only array")
    layouts = {o.name: b.shapes(o, views[o.name].shape, views[o.name].strides) for o in given}
    for o in given:
        b.strides(o, *layouts[o.name])
        b.set(o.dtype, views[o.name].dtype, o.name)
    spec = complete(op, b, views, values)
    like = next(o for o in given if o.access == "in" and o.shape[0] == op.dims[0][0])
    makers, source = [], (views[like.name].shape, like)
    for o in op.outputs():
        if o.name not in views and b.exists(o):
            shape = b.output_shape(o, source)
            makers.append((o.name, arrays.maker(views[like.name], shape, b.known[o.dtype])))
            layouts[o.name] = infer.merged(op, o.name, shape, arrays.dense(shape), len(o.shape))
            b.strides(o, *layouts[o.name])
    for f in op.fields:
        spec.setdefault(f.name, b.known.get(f.name, 0))
    numbers = {f.name: zabi.DTYPES[spec[f.name]][0] if f.kind == "dtype" else spec[f.name] for f in op.fields}
    d = device(*devices.pop())
    call = new(op.call)
    for size, _, _ in op.dims:
        setattr(call, size, b.known[size])
    for o in op.operands:
        if o.name in layouts:
            t, (shape, strides) = getattr(call, o.name), layouts[o.name]
            t.dtype = zabi.DTYPES[b.known[o.dtype]][0]
            t.elements = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    template = (ctypes.c_uint64 * (ctypes.sizeof(call) // 8)).from_buffer_copy(call)
    return Prepared(
        d, d.plan(op, numbers, algorithm), functools.partial(type(template).from_buffer_copy, template),
        {n: getattr(op.call, n).offset // 8 for n in layouts}, tuple(makers), tuple(o.name for o in op.outputs()),
        {o.name: zabi.DTYPES[b.known[o.dtype]][1] for o in op.operands if o.name in layouts}, like.name)


def complete(op, b, views, values):
    """The fields that arrays do not bind, and the types of outputs to be made."""
    spec = {"align": 16}
    for v in views.values():
        if v.data & 15:
            spec["align"] = min(spec["align"], v.data & -v.data)
    for size, limit, least in op.dims:
        spec[limit] = infer.room(b.known[size], least)
    for f in op.fields:
        value = values.get(f.name)
        if f.kind == "dtype":
            if value is not None:
                b.set(f.name, str(value), f.name)
            elif f.name not in b.known:
                b.known[f.name] = b.default_type(f.default)
        elif f.kind == "enum" and f.name in values:
            if value not in f.choices:
                raise infer.refuse(op, f.name, "one of " + ", ".join(f.choices), value)
            spec[f.name] = f.choices.index(value)
        elif f.name in values:
            spec[f.name] = b.known.get(f.name, value)
    return spec
