"""Checks and times the adapter on a GPU with torch and transformers, and writes one JSON object.

    python3 device.py FOLDER OUT.json        # FOLDER is what carry.sh made

Nothing is fetched and nothing is built but what torch.compile makes. Each section ends ok or failed; a failed one does not stop the others. The
whole takes one to two minutes on one GPU. Comparisons with peers are bench/peers' business.
"""

import copy
import json
import os
import subprocess
import sys
import time
import traceback

FOLDER = os.path.abspath(sys.argv[1])
os.environ.setdefault("OXIDE_LIBRARY", os.path.join(FOLDER, "liboxide.so"))
os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, os.path.join(FOLDER, "python"))

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

import oxideinfer as ox  # noqa: E402
import oxideinfer.torch_ops  # noqa: E402, F401

OPS, DEVICE, BF16 = torch.ops.oxideinfer, "cuda", torch.bfloat16
REPORT = {"sections": {}}
START = time.time()


def section(f):
    """Runs one part and notes its outcome, its figures and its time."""
    begin = time.time()
    entry = REPORT["sections"][f.__name__] = {"result": "ok"}
    try:
        with torch.no_grad():
            entry["figures"] = f()
        torch.cuda.synchronize()
    except Exception as e:
        entry.update(result="failed", error=f"{type(e).__name__}: {e}"[:600], trace=traceback.format_exc()[-2500:])
    entry["seconds"] = round(time.time() - begin, 1)
    print(f.__name__, entry["result"], entry["seconds"], "s", entry.get("error", ""), flush=True)


def near(got, want, ulps=0.51, dtype=BF16):
    """Refuses a result that is further than so many units of the last place from the f32 value of the definition."""
    unit = {BF16: 2.0**-8, torch.float16: 2.0**-11, torch.float32: 2.0**-20}[dtype]
    error = ((got.float() - want).abs() / (want.abs().clamp(min=1e-3) * 2 * unit)).max().item()
    assert error <= ulps, f"{error:.3f} ulp off"
    return round(error, 4)


def captured(f, warm=3):
    """A CUDA graph of f, made as torch's documentation asks."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warm):
            f()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = f()
    return graph, result


def device_us(f, calls=50, replays=20):
    """Device time of a call: a graph of many, the median of the replays."""
    graph, _ = captured(lambda: [f() for _ in range(calls)])
    graph.replay()
    times = []
    for _ in range(replays):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / calls)
    return round(sorted(times)[replays // 2], 3)


def eager_us(f, calls=200, rounds=5):
    """Host time of a call in a loop that does not wait, the least of some rounds."""
    times = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            f()
        times.append((time.perf_counter() - begin) * 1e6 / calls)
        torch.cuda.synchronize()
    return round(min(times), 2)


@section
def operators():
    figures = {}
    for rows, hidden in ((1, 4096), (7, 1536), (2048, 4096), (33, 5120)):
        x, r = (torch.randn(rows, hidden, device=DEVICE).to(BF16) for _ in range(2))
        w = (torch.rand(hidden, device=DEVICE) + 0.5).to(BF16)
        norm = lambda t: t.float() * torch.rsqrt(t.float().pow(2).mean(-1, keepdim=True) + 1e-6)
        key = f"{rows}x{hidden}"
        figures["rms_norm " + key] = near(ox.rms_norm(x, w), norm(x) * w.float())
        before = ox.rms_norm(x, w, rounding="before_weight")
        equal = (before == w * norm(x).to(BF16)).float().mean().item()
        assert equal > 0.99, f"{equal} of the elements have the bits of transformers' formula"
        figures["rms_norm before_weight, equal bits " + key] = equal
        total, y = ox.add_rms_norm(x, r, w)
        assert torch.equal(total, x + r), "the sum"
        figures["add_rms_norm " + key] = near(y, norm(total) * w.float())
        figures["swiglu " + key] = near(ox.swiglu(gate=x, up=r), F.silu(x.float()) * r.float())
        both = torch.cat([x, r], -1)
        assert torch.equal(ox.swiglu(both), ox.swiglu(gate=x, up=r)), "packed and apart"
        assert ox.rms_norm(x, w, y=x) is x, "in place"
    wide = torch.randn(16, 3 * 4096, device=DEVICE).to(BF16)
    w = torch.ones(4096, device=DEVICE, dtype=BF16)
    part = wide[:, 4096:8192]  # rows with gaps
    assert torch.equal(ox.rms_norm(part, w), ox.rms_norm(part.contiguous(), w)), "strides"
    for wrong, error in ((lambda: ox.rms_norm(wide.t(), w), ox.ContractError), (lambda: ox.rms_norm(part, w.cpu()), ox.ContractError),
                         (lambda: ox.rms_norm(part.double(), w), ox.ContractError)):
        try:
            wrong()
            raise AssertionError("a wrong call was taken")
        except error:
            pass
    with torch.enable_grad():
        try:
            OPS.rms_norm(part.float().requires_grad_(), w.float())
            raise AssertionError("a gradient was promised")
        except ox.AutogradError:
            pass
    return figures


@section
def streams():
    """A delayed producer on a stream of torch's: our kernel must wait for it."""
    w, side = torch.ones(4096, device=DEVICE), torch.cuda.Stream()
    x = torch.zeros(8, 4096, device=DEVICE)
    ox.rms_norm(x, w)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        x.fill_(2)
        y = ox.rms_norm(x, w, epsilon=0.0)
    side.synchronize()
    assert torch.equal(y, torch.ones_like(y)), "the kernel ran before its input was there"


@section
def cupy_arrays():
    try:
        import cupy
    except ImportError:
        return "not run, because cupy is absent"
    x, w = cupy.random.rand(4, 512, dtype=cupy.float32), cupy.ones(512, dtype=cupy.float32)
    y = cupy.empty_like(x)
    with ox.on_stream(cupy.cuda.get_current_stream().ptr):
        ox.rms_norm(x, w, y=y, epsilon=0.0)
    want = x / cupy.sqrt((x**2).mean(-1, keepdims=True))
    assert float(abs(y - want).max()) < 1e-5


@section
def graphs():
    x, r = (torch.randn(4, 4096, device=DEVICE).to(BF16) for _ in range(2))
    w = torch.ones(4096, device=DEVICE, dtype=BF16)

    def chain():
        total, y = ox.add_rms_norm(x, r, w)
        return total, ox.swiglu(gate=y, up=total)

    graph, results = captured(chain)
    for seed in range(20):
        torch.manual_seed(seed)
        x.copy_(torch.randn_like(x, dtype=torch.float32))
        graph.replay()
        for got, want in zip(results, chain()):
            assert torch.equal(got, want), f"replay {seed}"


@section
def compiled():
    x, r = (torch.randn(64, 4096, device=DEVICE).to(BF16) for _ in range(2))
    w = torch.ones(4096, device=DEVICE, dtype=BF16)

    def f(x, r, w):
        total, y = OPS.add_rms_norm(x * 2, r, w)
        return OPS.swiglu(gate=y, up=total + 1) - 1

    want, figures = f(x, r, w), {}
    for mode in ("default", "reduce-overhead"):
        g = torch.compile(f, fullgraph=True, mode=mode)
        for _ in range(3):
            got = g(x, r, w).clone()
        torch.testing.assert_close(got, want, rtol=2**-7, atol=2**-6)
        figures[mode] = {"eager_us": eager_us(lambda: g(x, r, w))}
    torch.compiler.reset()
    return figures | {"uncompiled": {"eager_us": eager_us(lambda: f(x, r, w))}}


def logits_error(a, b):
    d = (a.float() - b.float()).double()
    return d.pow(2).mean().sqrt().item(), d.abs().max().item()


def model_section(config):
    """Logits of a random model with and without our kernels, against the same model in f32: ours may be no further from it."""
    from transformers import AutoModelForCausalLM

    import oxideinfer.huggingface as hf

    torch.manual_seed(0)
    with torch.device(DEVICE):
        model = AutoModelForCausalLM.from_config(config, dtype=BF16).eval()
    ids = torch.randint(0, config.vocab_size, (2, 48), device=DEVICE)
    run = lambda m: m(ids, use_cache=False).logits
    stock = run(model)
    exact = run(copy.deepcopy(model).float())
    stock_graph, stock_captured = captured(lambda: run(model))
    times = {"stock": {"eager_us": eager_us(lambda: run(model), 10, 3)}}
    stock_graph.replay()
    stock_same = torch.equal(stock_captured, stock)
    times["stock"]["graph_us"] = timed(stock_graph)
    count = hf.replace(model)
    ours = run(model)
    graph, under_graph = captured(lambda: run(model))
    graph.replay()
    ours_same = torch.equal(under_graph, ours)
    times["ours"] = {"eager_us": eager_us(lambda: run(model), 10, 3), "graph_us": timed(graph)}
    figures = {"replaced": count, "stock_to_f32": logits_error(stock, exact), "ours_to_f32": logits_error(ours, exact),
               "ours_to_stock": logits_error(ours, stock), "largest_logit": exact.abs().max().item(),
               "same_token": (ours.argmax(-1) == stock.argmax(-1)).float().mean().item(), "times": times,
               "graph_equals_eager": {"stock": stock_same, "ours": ours_same}, "ours_graph_to_f32": logits_error(under_graph, exact)}
    assert ours_same or not stock_same, "eager and graph differ"
    assert max(figures["ours_to_f32"][0], figures["ours_graph_to_f32"][0]) <= 1.1 * figures["stock_to_f32"][0], f"further from f32 than the model itself: {figures}"
    assert figures["ours_to_stock"][0] <= 1.5 * figures["stock_to_f32"][0], f"further from the model than bf16 explains: {figures}"
    return figures


def timed(graph, replays=20):
    times = []
    for _ in range(replays):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3)
    return round(sorted(times)[replays // 2], 1)


@section
def llama():
    from transformers import LlamaConfig

    return model_section(LlamaConfig(hidden_size=4096, intermediate_size=14336, num_hidden_layers=3, num_attention_heads=32,
                                     num_key_value_heads=8, vocab_size=8192, rms_norm_eps=1e-5))


@section
def qwen2():
    from transformers import Qwen2Config

    return model_section(Qwen2Config(hidden_size=3584, intermediate_size=18944, num_hidden_layers=3, num_attention_heads=28,
                                     num_key_value_heads=4, vocab_size=8192, rms_norm_eps=1e-6))


@section
def layer_norm_times():
    """One RMSNorm module of transformers, before and after."""
    from transformers.models.llama.modeling_llama import LlamaRMSNorm

    import oxideinfer.huggingface as hf

    figures = {}
    for rows in (1, 16, 128, 2048):
        stock = LlamaRMSNorm(4096).to(DEVICE, BF16)
        ours, x = hf.converted(stock), torch.randn(1, rows, 4096, device=DEVICE).to(BF16)
        figures[f"{rows}x4096"] = {"stock_graph_us": device_us(lambda: stock(x)), "ours_graph_us": device_us(lambda: ours(x)),
                                   "stock_eager_us": eager_us(lambda: stock(x)), "ours_eager_us": eager_us(lambda: ours(x)),
                                   "torch_rms_norm_graph_us": device_us(lambda: F.rms_norm(x, (4096,), stock.weight, 1e-6)),
                                   "function_eager_us": eager_us(lambda: ox.rms_norm(x, stock.weight, y=x))}
    return figures


def program(*args):
    out = subprocess.run(args, capture_output=True, text=True, timeout=60, env={**os.environ, "PYTHONPATH": os.path.join(FOLDER, "python")})
    assert out.returncode == 0, out.stdout[-500:] + out.stderr[-1500:]
    return out.stdout.strip()


@section
def call_overhead():
    """A bare launch and the same through the C ABI, in a random order every round."""
    with open(os.path.join(FOLDER, "kernel.txt")) as f:
        entry, threads = f.read().split()
    return json.loads(program(os.path.join(FOLDER, "abi"), os.path.join(FOLDER, "kernel.cubin"), entry, threads))


@section
def examples():
    return {"c": program(os.path.join(FOLDER, "rmsnorm")), "python": program(sys.executable, os.path.join(FOLDER, "rmsnorm.py"))}


def main():
    import transformers

    p = torch.cuda.get_device_properties(0)
    REPORT.update(device=p.name, multiprocessors=p.multi_processor_count, torch=torch.__version__, cuda=torch.version.cuda,
                  transformers=transformers.__version__, python=sys.version.split()[0], library=ox.version(),
                  driver=ox.device(ox.CUDA, 0).info().driver_version, seconds=round(time.time() - START, 1))
    with open(sys.argv[2], "w") as f:
        json.dump(REPORT, f, indent=1)
    failed = [n for n, s in REPORT["sections"].items() if s["result"] != "ok"]
    print(f"{len(REPORT['sections']) - len(failed)} passed, {len(failed)} failed", *failed)
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
