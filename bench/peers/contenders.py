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

    def __init__(self, rows, width, depth=0, dtype=torch.bfloat16):
        self.rows, self.width, self.depth, self.dtype = rows, width, depth, dtype

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


class Matmul(Operator):
    """d = a·bᵀ; every set has a b of its own."""

    def operands(self, sets):
        a, b = (torch.randn(sets, n, self.depth, device="cuda", dtype=self.dtype) for n in (self.rows, self.width))
        return list(zip(a, b, torch.empty(sets, self.rows, self.width, device="cuda", dtype=self.dtype)))

    def reference(self, a, b, _):
        return [a.float() @ b.float().t()]

    def outputs(self, _a, _b, d):
        return [d]

    def contenders(self, algorithm):
        return [(ours(algorithm), self.oxide), (description("cublaslt", "cuBLASLt", "torch.mm, its heuristic's choice", cublas()), self.cublaslt),
                (flashinfer("cudnn", "mm_bf16, tuned"), self.cudnn)]

    def oxide(self, sets):
        import oxideinfer as ox
        return [functools.partial(ox.matmul, a, b, d=d) for a, b, d in sets]

    def cublaslt(self, sets):
        torch.backends.cuda.preferred_blas_library("cublaslt")
        return [functools.partial(torch.mm, a, b.t(), out=d) for a, b, d in sets]

    def cudnn(self, sets):
        import flashinfer
        from flashinfer.gemm import mm_bf16
        a, b, d = sets[0]
        with flashinfer.autotune(True):
            mm_bf16(a, b.t(), out=d, backend="cudnn")
        return [functools.partial(mm_bf16, a, b.t(), out=d, backend="cudnn") for a, b, d in sets]


class ScaledMatmul(Matmul):
    """e4m3 with a scale for each of a and b."""

    rowwise = False

    def operands(self, sets):
        m, n = (self.rows, self.width) if self.rowwise else (1, 1)
        self.scales = [0.5 + torch.rand(m, device="cuda"), 0.5 + torch.rand(n, device="cuda")]
        return [(a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn), d) for a, b, d in super().operands(sets)]

    def reference(self, a, b, _):
        return [(a.float() @ b.float().t()) * self.scales[0][:, None] * self.scales[1][None]]

    def contenders(self, algorithm):
        how = "torch._scaled_mm, fast accumulation"
        return [(ours(algorithm), self.oxide), (description("torch", "PyTorch", how + (", row-wise" if self.rowwise else ""), version("torch")), self.torch)]

    def oxide(self, sets):
        import oxideinfer as ox
        f = ox.row_scaled_matmul if self.rowwise else ox.scaled_matmul
        return [functools.partial(f, a, b, *self.scales, d=d) for a, b, d in sets]

    def torch(self, sets):
        x, y = (self.scales[0][:, None], self.scales[1][None]) if self.rowwise else (self.scales[0][0], self.scales[1][0])
        f = functools.partial(torch._scaled_mm, scale_a=x, scale_b=y, out_dtype=self.dtype, use_fast_accum=True)
        return [functools.partial(f, a, b.t(), out=d) for a, b, d in sets]


class RowScaledMatmul(ScaledMatmul):
    rowwise = True


OPERATORS = {"normalization.rms_norm": RMSNorm, "normalization.add_rms_norm": AddRMSNorm, "activation.swiglu": SwiGLU,
             "gemm.matmul": Matmul, "gemm.scaled_matmul": ScaledMatmul, "gemm.row_scaled_matmul": RowScaledMatmul}


def cublas():
    """The version of the cuBLAS that torch has loaded."""
    return next((version(p) for p in ("nvidia-cublas", "nvidia-cublas-cu13", "nvidia-cublas-cu12") if version(p) != "not installed"), "of torch " + version("torch"))


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
