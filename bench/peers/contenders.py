"""The contenders for each operator: ours through the Python adapter, torch.compile, FlashInfer and a Triton kernel.

Each operator gives operands (one list of tensors a call), a float32 reference, and contenders as (description, make) pairs. make(sets)
returns one callable a set of operands; it raises where a peer is not installed or does not take the shape.
"""

import functools
import importlib.metadata

import torch
import torch.nn.functional as F

EPSILON = 1e-6


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def description(name, provider, algorithm, release, ours=False):
    return {"name": name, "provider": provider, "algorithm": algorithm, "version": release, "ours": ours}


def ours(algorithm):
    import oxideinfer
    return description("oxide", "Oxide", algorithm, oxideinfer.version(), ours=True)


def compiled(name):
    return description("torch.compile", "PyTorch", name + ", torch.compile default mode", version("torch"))


def flashinfer(backend, name):
    return description("flashinfer " + backend, "FlashInfer", f"{name}, {backend} backend", version("flashinfer-python"))


def triton(name):
    return description("triton", "Triton", name + " in bench/peers/triton_kernels.py", version("triton"))


class Operator:
    """One case: shapes, a pool of operands, the contenders."""

    def __init__(self, rows, width, dtype=torch.bfloat16):
        self.rows, self.width, self.dtype = rows, width, dtype

    def tensors(self, sets, width):
        """One random tensor a set, laid out one after the other in one allocation."""
        pool = torch.randn(sets, self.rows, width, device="cuda", dtype=self.dtype)
        return list(pool)


class RMSNorm(Operator):
    def operands(self, sets):
        self.weight = 1 + 0.25 * torch.randn(self.width, device="cuda", dtype=self.dtype)
        return list(zip(self.tensors(sets, self.width), self.tensors(sets, self.width)))

    def reference(self, x, _):
        return [F.rms_norm(x.float(), (self.width,), self.weight.float(), EPSILON)]

    def outputs(self, _, y):
        return [y]

    def contenders(self, algorithm):
        return [(ours(algorithm), self.oxide), (compiled("F.rms_norm"), self.torch), (flashinfer("cute-dsl", "rmsnorm"), self.cute),
                (flashinfer("cuda", "rmsnorm"), self.cuda), (triton("rms_norm"), self.triton)]

    def oxide(self, sets):
        import oxideinfer as ox
        return [functools.partial(ox.rms_norm, x, self.weight, y=y, epsilon=EPSILON) for x, y in sets]

    def torch(self, sets):
        f = compile_once(rms_norm_into)
        return [functools.partial(f, x, self.weight, y) for x, y in sets]

    def fi(self, sets, cuda):
        import flashinfer
        backend(cuda)
        return [functools.partial(flashinfer.rmsnorm, x, self.weight, EPSILON, out=y) for x, y in sets]

    def cute(self, sets):
        return self.fi(sets, False)

    def cuda(self, sets):
        return self.fi(sets, True)

    def triton(self, sets):
        import triton_kernels
        return [functools.partial(triton_kernels.rms_norm, x, self.weight, y, EPSILON) for x, y in sets]


class AddRMSNorm(RMSNorm):
    """In place, as engines call it: residual += x, x = norm(residual)."""

    def reference(self, x, residual):
        total = (x.float() + residual.float()).to(self.dtype)
        return [F.rms_norm(total.float(), (self.width,), self.weight.float(), EPSILON), total.float()]

    def outputs(self, x, residual):
        return [x, residual]

    def contenders(self, algorithm):
        return [(ours(algorithm), self.oxide), (compiled("add and F.rms_norm"), self.torch), (flashinfer("cute-dsl", "fused_add_rmsnorm"), self.cute),
                (flashinfer("cuda", "fused_add_rmsnorm"), self.cuda), (triton("add_rms_norm"), self.triton)]

    def oxide(self, sets):
        import oxideinfer as ox
        return [functools.partial(ox.add_rms_norm, x, r, self.weight, sum=r, y=x, epsilon=EPSILON) for x, r in sets]

    def torch(self, sets):
        f = compile_once(add_rms_norm_in_place)
        return [functools.partial(f, x, r, self.weight) for x, r in sets]

    def fi(self, sets, cuda):
        import flashinfer
        backend(cuda)
        return [functools.partial(flashinfer.fused_add_rmsnorm, x, r, self.weight, EPSILON) for x, r in sets]

    def triton(self, sets):
        import triton_kernels
        return [functools.partial(triton_kernels.add_rms_norm, x, r, self.weight, EPSILON) for x, r in sets]


class SwiGLU(Operator):
    """Gate and up are the halves of one tensor's rows."""

    def operands(self, sets):
        return list(zip(self.tensors(sets, 2 * self.width), self.tensors(sets, self.width)))

    def reference(self, x, _):
        return [F.silu(x[:, :self.width].float()) * x[:, self.width:].float()]

    def outputs(self, _, y):
        return [y]

    def contenders(self, algorithm):
        return [(ours(algorithm), self.oxide), (compiled("silu and multiply"), self.torch), (flashinfer("cuda", "silu_and_mul"), self.cuda),
                (triton("swiglu"), self.triton)]

    def oxide(self, sets):
        import oxideinfer as ox
        return [functools.partial(ox.swiglu, gate_up=x, y=y) for x, y in sets]

    def torch(self, sets):
        f = compile_once(swiglu_into)
        return [functools.partial(f, x, y) for x, y in sets]

    def cuda(self, sets):
        import flashinfer
        return [functools.partial(flashinfer.silu_and_mul, x, out=y) for x, y in sets]

    def triton(self, sets):
        import triton_kernels
        return [functools.partial(triton_kernels.swiglu, x, y) for x, y in sets]


OPERATORS = {"normalization.rms_norm": RMSNorm, "normalization.add_rms_norm": AddRMSNorm, "activation.swiglu": SwiGLU}


def backend(cuda):
    """Chooses FlashInfer's kernels: its own CUDA C++ ones or those of CuTe-DSL."""
    import flashinfer.norm
    if not cuda:
        import cutlass  # noqa: F401, of nvidia-cutlass-dsl
    flashinfer.norm._USE_CUDA_NORM = cuda


def rms_norm_into(x, weight, y):
    y.copy_(F.rms_norm(x, (x.shape[-1],), weight, EPSILON))


def add_rms_norm_in_place(x, residual, weight):
    residual.add_(x)
    x.copy_(F.rms_norm(residual, (x.shape[-1],), weight, EPSILON))


def swiglu_into(x, y):
    gate, up = x.chunk(2, dim=-1)
    y.copy_(F.silu(gate) * up)


@functools.cache
def compile_once(f):
    torch._dynamo.config.recompile_limit = 64
    return torch.compile(f, dynamic=False)
