"""Calls an operator on arrays. What shapes and types decide is found once and kept."""

import contextlib
import ctypes
import threading
from typing import NamedTuple

from . import arrays, infer, zabi
from .library import device, new

_made = {}  # by everything but addresses
_local = threading.local()
_host = threading.Lock()  # memory of the host is mapped for one call at a time


class Prepared(NamedTuple):
    plan: int
    template: ctypes.Structure  # of the call, without addresses
    outputs: tuple  # (name, shape, dtype) of those to be made
    like: str  # the input that they are made like


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
    op = zabi.OPERATORS[name]
    stream = getattr(_local, "stream", None)
    views = {n: arrays.view(t, stream) for n, t in tensors.items() if t is not None}
    key = (name, algorithm, *values.values(), *((n, v.shape, v.strides, v.dtype, v.device, v.data & 15) for n, v in views.items()))
    prepared = _made.get(key)
    if prepared is None:
        prepared = _made.setdefault(key, prepare(op, views, values, algorithm))
    made = {}
    for n, shape, dtype in prepared.outputs:
        made[n] = arrays.empty(views[prepared.like], shape, dtype)
        views[n] = arrays.view(made[n], stream)
    call = type(prepared.template).from_buffer_copy(prepared.template)
    for n, v in views.items():
        getattr(call, n).data = v.data
    submit(views[prepared.like], prepared.plan, call, views, stream)
    results = [made.get(o.name, tensors.get(o.name)) for o in op.outputs()]
    return results[0] if len(results) == 1 else tuple(results)


def submit(first, plan, call, views, stream):
    d = device(*first.device)
    if d.kind == zabi.EMULATED:
        return on_host(d, plan, call, views)
    status = d.lib.enqueue(plan, d.stream(first.stream if stream is None else stream), ctypes.byref(call), None)
    if status:
        d.lib.check(status)


def on_host(d, plan, call, views):
    """Runs a call on the emulated device and waits for it."""
    ranges = []
    for n, v in views.items():
        begin = v.data
        end = begin + getattr(call, n).elements * zabi.DTYPES[v.dtype][1]
        if end > begin:
            ranges.append([begin, end])
    apart = []
    for r in sorted(ranges):
        if apart and r[0] < apart[-1][1]:
            apart[-1][1] = max(apart[-1][1], r[1])
        else:
            apart.append(r)
    c, check, mapped, done = d.lib.c, d.lib.check, [], ctypes.c_uint64()
    with _host:
        try:
            for begin, end in apart:
                check(c.oxide_host_map(d.handle, begin, end - begin))
                mapped.append(begin)
            check(c.oxide_enqueue(plan, d.stream(0), ctypes.byref(call), ctypes.byref(done)))
            check(c.oxide_completion_wait(done, -1))
        finally:
            for begin in mapped:
                check(c.oxide_host_unmap(d.handle, begin))


def prepare(op, views, values, algorithm):
    """Finds the spec in the arrays, makes or finds the plan, and lays out the call."""
    b = infer.Binding(op)
    b.presence(views)
    devices = {v.device for v in views.values()}
    if len(devices) != 1:
        raise infer.refuse(op, "arrays", "one device", sorted(devices))
    given = [o for o in op.operands if o.name in views]
    for o in given:
        if not b.exists(o):
            raise infer.refuse(op, o.name, "none, as the other arrays exclude it", "an array")
    layouts = {o.name: b.shapes(o, views[o.name].shape, views[o.name].strides) for o in given}
    for o in given:
        b.strides(o, *layouts[o.name])
        b.set(o.dtype, views[o.name].dtype, o.name)
    spec = complete(op, b, views, values)
    like = next(o for o in given if o.access == "in" and o.shape[0] == op.dims[0][0])
    outputs, source = [], (views[like.name].shape, like)
    for o in op.outputs():
        if o.name not in views and b.exists(o):
            shape = b.output_shape(o, source)
            outputs.append((o.name, shape, b.known[o.dtype]))
            layouts[o.name] = infer.merged(op, o.name, shape, arrays.dense(shape), len(o.shape))
            b.strides(o, *layouts[o.name])
    for f in op.fields:
        spec.setdefault(f.name, b.known.get(f.name, 0))
    numbers = {f.name: zabi.DTYPES[spec[f.name]][0] if f.kind == "dtype" else spec[f.name] for f in op.fields}
    plan = device(*devices.pop()).plan(op, numbers, algorithm)
    call = new(op.call)
    for size, _ in op.dims:
        setattr(call, size, b.known[size])
    for o in op.operands:
        if o.name in layouts:
            t, (shape, strides) = getattr(call, o.name), layouts[o.name]
            t.dtype = zabi.DTYPES[b.known[o.dtype]][0]
            t.elements = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    return Prepared(plan, call, tuple(outputs), like.name)


def complete(op, b, views, values):
    """The fields that arrays do not bind, and the types of outputs to be made."""
    spec = {"align": 16}
    for v in views.values():
        if v.data & 15:
            spec["align"] = min(spec["align"], v.data & -v.data)
    for size, limit in op.dims:
        spec[limit] = infer.room(b.known[size])
    for f in op.fields:
        value = values.get(f.name)
        if f.kind == "dtype":
            if value is not None:
                b.set(f.name, str(value), f.name)
            elif f.name not in b.known:
                b.known[f.name] = b.known[f.default[1:]]
        elif f.kind == "enum" and f.name in values:
            if value not in f.choices:
                raise infer.refuse(op, f.name, "one of " + ", ".join(f.choices), value)
            spec[f.name] = f.choices.index(value)
        elif f.name in values:
            spec[f.name] = value
    return spec
