"""The operators as torch.ops.oxideinfer.*, with fake kernels: torch.compile and CUDA graphs take them as they are.

Importing this module registers them, from the catalog: required inputs, then optional ones, then the spec fields that tensors do not tell as
keywords. They make their outputs; oxideinfer.rms_norm and the like write to given ones. There is no backward.
"""

import torch

from . import arrays, infer, zabi, zops
from .errors import AutogradError

_SCHEMA = {"float": "float", "int": "int", "bool": "bool", "enum": "str", "dtype": "str?"}


def _refuse_autograd(name, tensors):
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        raise AutogradError(f"oxideinfer.{name} has no backward: use torch.no_grad() or torch.inference_mode(), or detach its inputs")


def _keywords(name):
    """The keyword fields of an operator with their defaults, as zops.py has them."""
    function = getattr(zops, name)
    outputs = {o.name for o in zabi.OPERATORS[name].outputs()}
    return {k: v for k, v in function.__kwdefaults__.items() if k not in outputs and k != "algorithm"}


def _ordered(op):
    return sorted(op.inputs(), key=lambda o: bool(o.when))  # as Python wants it: required ones first


def _schema(name, op):
    kinds = {f.name: f.kind for f in op.fields}
    inputs = [f"Tensor {o.name}" if not o.when else f"Tensor? {o.name}=None" for o in _ordered(op)]
    fields = []
    for field, default in _keywords(name).items():
        text = f'"{default}"' if isinstance(default, str) else str(default)
        fields.append(f"{_SCHEMA[kinds[field]]} {field}={text}")
    keywords = ", *, " + ", ".join(fields) if fields else ""
    results = ["Tensor"] * len(op.outputs())
    return f"{name}({', '.join(inputs)}{keywords}) -> " + (results[0] if len(results) == 1 else f"({', '.join(results)})")


def _implementation(name, op):
    function, names = getattr(zops, name), [o.name for o in _ordered(op)]

    def implementation(*inputs, **fields):
        _refuse_autograd(name, inputs)
        results = function(**dict(zip(names, inputs)), **fields)
        if isinstance(results, tuple):  # torch has no optional results
            return tuple(inputs[0].new_empty(0) if r is None else r for r in results)
        return results

    return implementation


def _fake(name, op):
    names, dtypes = [o.name for o in _ordered(op)], {v: k for k, v in arrays.torch_types().items()}

    def fake(*inputs, **fields):
        _refuse_autograd(name, inputs)
        given = {n: t for n, t in zip(names, inputs) if t is not None}
        b = infer.Binding(op)
        b.presence(given, fields)
        for o in op.inputs():
            if o.name in given:
                b.shapes(o, given[o.name].shape, given[o.name].stride())
                b.set(o.dtype, arrays.torch_types()[given[o.name].dtype], o.name)
        like = next(o for o in op.inputs() if o.name in given and o.shape[0] == op.dims[0][0])
        results = []
        for o in op.outputs():
            if not b.exists(o):
                results.append(inputs[0].new_empty(0))
                continue
            default = next(f.default for f in op.fields if f.name == o.dtype)
            dtype = fields.get(o.dtype) or b.known.get(o.dtype) or b.default_type(default)
            shape = b.output_shape(o, (given[like.name].shape, like))
            results.append(given[like.name].new_empty(shape, dtype=dtypes[dtype]))
        return results[0] if len(results) == 1 else tuple(results)

    return fake


def _register():
    library = torch.library.Library("oxideinfer", "DEF")
    for name, op in zabi.OPERATORS.items():
        library.define(_schema(name, op), tags=(torch.Tag.pt2_compliant_tag,))
        implementation = _implementation(name, op)
        for key in ("CUDA", "CPU"):  # tensors of the host run on the emulated device
            library.impl(name, implementation, key)
        torch.library.register_fake(f"oxideinfer::{name}", _fake(name, op), lib=library)
    return library


library = _register()
