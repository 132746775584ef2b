"""Finds a spec and call sizes in the shapes of arrays: the catalog's expressions, read backwards."""

from .errors import ContractError

_UNLIMITED = (1 << 31) - 1


def refuse(op, field, want, got):
    shown = str(got) if str(got).isprintable() else repr(str(got))  # what a caller gave may hold escape sequences
    return ContractError(f"{op.name}: {field}: want {want}, got {shown}", operator=op.name, field=field, want=str(want), got=str(got))


def merged(op, name, shape, strides, rank):
    """The shape and strides with all leading dimensions in one, so that rank dimensions remain."""
    extra = len(shape) - rank
    if extra < 0:
        if extra < -1:
            raise refuse(op, name, f"{rank} dimensions, the first of them optional", len(shape))
        return (1, *shape), (0, *strides)
    lead, size, step = shape[: extra + 1], 1, 0
    for n, s in zip(reversed(lead), reversed(strides[: extra + 1])):
        if n == 1:
            continue
        if size == 1:
            step = s
        elif s != step * size:
            raise refuse(op, name, "leading dimensions that are evenly spaced", f"shape {tuple(shape)} with strides {tuple(strides)}")
        size *= n
    return (size, *shape[extra + 1 :]), (step, *strides[extra + 1 :])


class Binding:
    """Names and what they come to."""

    def __init__(self, op):
        self.op, self.known = op, {}

    def set(self, name, value, where):
        if self.known.setdefault(name, value) != value:
            raise refuse(self.op, where, f"{name} = {self.known[name]}", value)

    def default_type(self, default):
        """An element type that nobody chose: "=name" is that of another field."""
        return self.known[default[1:]] if default.startswith("=") else default

    def factor(self, text):
        """What a factor comes to: a number, a known name, or a quotient, rounded up; None for an unknown name."""
        if text.isdigit():
            return int(text)
        name, divided, by = text.partition("/")
        value = self.known.get(name)
        return -(-value // int(by)) if divided and value is not None else value

    def solve(self, expression, value, where):
        """Binds the one unknown name of a product."""
        unknown, rest = None, 1
        for factor in expression.split("*"):
            known = self.factor(factor)
            if known is None:
                unknown = factor
            else:
                rest *= known
        if unknown is None:
            if rest != value:
                raise refuse(self.op, where, f"{expression} = {rest}", value)
        elif value % rest:
            raise refuse(self.op, where, f"a multiple of {rest}", value)
        else:
            self.set(unknown, value // rest, where)

    def product(self, expression):
        n = 1
        for factor in expression.split("*"):
            n *= self.factor(factor)
        return n

    def presence(self, given, values={}):
        """Binds the fields that say which operands exist, and refuses a missing or a superfluous one. An output exists where a field says so
        that no input tells, or where it is given."""
        for o in self.op.operands:
            if o.access == "in" and not o.when and o.name not in given:
                raise refuse(self.op, o.name, "an array", "none")
        kinds = {f.name: f.kind for f in self.op.fields}
        for o in self.op.operands:
            name, present = o.when.lstrip("!"), (o.name in given) != o.when.startswith("!")
            if o.when and o.access == "in":
                if kinds[name] == "bool":
                    self.set(name, int(present), o.name)
                elif o.name not in given:
                    self.set(name, 0, o.name)
        for o in self.op.outputs():
            if o.when and o.when not in self.known and kinds.get(o.when) == "bool":
                self.set(o.when, int(o.name in given or bool(values.get(o.when))), o.name)

    def exists(self, o):
        return not o.when or bool(self.known.get(o.when.lstrip("!"), 0)) != o.when.startswith("!")

    def shapes(self, o, shape, strides):
        """Binds what an array's shape says; returns it with rank dimensions."""
        shape, strides = merged(self.op, o.name, shape, strides, len(o.shape))
        for expression, n in zip(o.shape, shape):
            self.solve(expression, n, f"{o.name}'s shape")
        return shape, strides

    def strides(self, o, shape, strides):
        """Binds stride fields. 0 stands for rows without gaps, so that they share a plan."""
        inner = 1
        for expression, n, step in reversed(list(zip(o.strides, shape, strides))):
            if n > 1 and expression.isdigit() and step != (int(expression) or inner):
                raise refuse(self.op, f"{o.name}'s strides", int(expression) or inner, step)
            if not expression.isdigit():
                self.set(expression, 0 if n <= 1 or step == inner else step, f"{o.name}'s strides")
            inner = (step if n > 1 else inner) * max(n, 1)

    def output_shape(self, o, like):
        """The shape of an output that is to be made: leading dimensions as the input like, the first with the same call size."""
        lead = tuple(like[0][: len(like[0]) - len(like[1].shape) + 1])
        if len(like[0]) < len(like[1].shape):
            lead = ()
        if o.shape[0] != like[1].shape[0]:
            lead = (self.product(o.shape[0]),)
        return lead + tuple(self.product(e) for e in o.shape[1:])


def room(size, least):
    """What a plan is made for: powers of two from the least on, so that few plans serve every call."""
    if size <= least:
        return least
    return min(1 << (size - 1).bit_length(), _UNLIMITED)
