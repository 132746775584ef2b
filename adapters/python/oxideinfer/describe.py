"""What the catalog says about an operator, as zabi.py spells it."""

from typing import NamedTuple


class Field(NamedTuple):
    name: str
    kind: str  # int, float, bool, dtype or enum
    default: str  # "": required; "=name": that field's value
    choices: tuple


class Operand(NamedTuple):
    name: str
    access: str  # in or out
    dtype: str  # the spec field with the element type
    shape: tuple  # products of numbers, spec fields and call sizes
    strides: tuple
    when: str  # the spec field that must be set, or not with "!"
    may_alias: tuple


class Operator(NamedTuple):
    name: str
    spec: type
    call: type
    fields: tuple
    dims: tuple  # (call size, the spec field that limits it, the least that plans have room for)
    operands: tuple

    def inputs(self):
        return [o for o in self.operands if o.access == "in"]

    def outputs(self):
        return [o for o in self.operands if o.access == "out"]
