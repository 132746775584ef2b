"""RMSNorm, add + RMSNorm and SwiGLU as a Triton user writes them: one program a row, or a tile of one."""

import triton
import triton.language as tl


@triton.jit
def _rms_norm(x_ptr, w_ptr, y_ptr, epsilon, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    keep = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=keep, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=keep, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x) / n + epsilon)
    tl.store(y_ptr + row * n + cols, x * scale * w, mask=keep)


@triton.jit
def _add_rms_norm(x_ptr, r_ptr, w_ptr, epsilon, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    keep = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=keep, other=0.0).to(tl.float32)
    r = tl.load(r_ptr + row * n + cols, mask=keep, other=0.0).to(tl.float32)
    w = tl.load(w_ptr + cols, mask=keep, other=0.0).to(tl.float32)
    total = (x + r).to(r_ptr.dtype.element_ty)
    tl.store(r_ptr + row * n + cols, total, mask=keep)
    t = total.to(tl.float32)
    scale = tl.rsqrt(tl.sum(t * t) / n + epsilon)
    tl.store(x_ptr + row * n + cols, t * scale * w, mask=keep)


@triton.jit
def _swiglu(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    keep = cols < n
    gate = tl.load(x_ptr + row * 2 * n + cols, mask=keep, other=0.0).to(tl.float32)
    up = tl.load(x_ptr + row * 2 * n + n + cols, mask=keep, other=0.0).to(tl.float32)
    tl.store(y_ptr + row * n + cols, gate * tl.sigmoid(gate) * up, mask=keep)


def _warps(block):
    return max(4, min(16, block // 512))


def rms_norm(x, weight, y, epsilon):
    block = triton.next_power_of_2(x.shape[1])
    _rms_norm[(x.shape[0],)](x, weight, y, epsilon, x.shape[1], BLOCK=block, num_warps=_warps(block))


def add_rms_norm(x, residual, weight, epsilon):
    block = triton.next_power_of_2(x.shape[1])
    _add_rms_norm[(x.shape[0],)](x, residual, weight, epsilon, x.shape[1], BLOCK=block, num_warps=_warps(block))


def swiglu(x, y):
    block = 2048
    _swiglu[(y.shape[0], triton.cdiv(y.shape[1], block))](x, y, y.shape[1], BLOCK=block, num_warps=8)
