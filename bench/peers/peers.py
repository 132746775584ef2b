#!/usr/bin/env python3
"""Times our operators and their peers in one process, on one stream, over the same operands.

    python3 peers.py JOB.json        # oxidelab peers writes the job, reads the lines and makes records of them

The job has cases: {"limit_s": 170, "cases": [{"id", "operator", "rows", "width", "bytes", "algorithm", "spec"}]}. Every answer is one line of
JSON: a case with its contenders and all samples, or a case with the reason why it was not run.
"""

import gc
import json
import re
import sys
import time

import torch

import contenders
import protocol

TOLERANCE = 0.02  # of the largest value of the reference: bf16 has 8 bits
FLUSH_BYTES = 160 << 20  # several times L2
EAGER_BYTES = 2 << 20  # a call of at most as many bytes takes the device less time than the host
EAGER_CALLS = 200


def say(**answer):
    print(json.dumps(answer), flush=True)


def library():
    """The version of the library that Python loaded."""
    import oxideinfer
    return oxideinfer.version()


def kernels(operator, spec):
    """The kernels, as algorithm/variant, of the plans that our library has made for a Spec; a plan's text begins with it."""
    from oxideinfer import library as lib
    texts = [d.plan_info(p).text.decode() for d in lib._devices.values() for p in d.plans.entries.values()]
    return sorted({re.search(r"; (\S+) for sm_", t).group(1) for t in texts if t.startswith(f"{operator} {spec}:")})


def wrong(operator, call, operands):
    """Why the outputs of one call are wrong, or None. The operands are as before when it returns."""
    before = [t.clone() for t in operands]
    want = operator.reference(*operands)
    call()
    torch.cuda.synchronize()
    problem = None
    for got, ref in zip(operator.outputs(*operands), want):
        error = ((got.float() - ref).abs().max() / ref.abs().max()).item()
        if not error <= TOLERANCE:
            problem = f"wrong result: {error:.3g} of the largest reference value"
    for t, b in zip(operands, before):
        t.copy_(b)
    return problem


def capture(calls, n):
    """A graph of n calls that go round the operands."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for call in calls[:2]:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    gc.collect()
    gc.disable()  # an object freed by the collector during a capture breaks it
    try:
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            for i in range(n):
                calls[i % len(calls)]()
    finally:
        gc.enable()
    return graph


def prepare(operator, algorithm, operands, n):
    """Every contender with its graph, or with the reason why it has none."""
    out = []
    for c, make in operator.contenders(algorithm):
        try:
            calls = make(operands)
            problem = wrong(operator, calls[0], operands[0])
            if problem:
                raise ValueError(problem)
            c["calls"], c["graph"] = calls, capture(calls, n)
        except Exception as e:
            protocol.fail(c, e)
            renew_generator()
        out.append(c)
    return out


def renew_generator():
    """A capture that broke leaves the default generator registered with its graph: it gets a state of its own again."""
    g = torch.cuda.default_generators[torch.cuda.current_device()]
    g.graphsafe_set_state(torch.Generator(device="cuda").graphsafe_get_state())


def sampler(n):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def sample(c):
        begin.record()
        c["graph"].replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3 / n

    return sample


def settler(n_bytes=FLUSH_BYTES):
    """Writes more memory than L2 holds, with every multiprocessor, and then replays once untimed: the sample does not see who ran before."""
    spare = torch.empty(n_bytes, dtype=torch.uint8, device="cuda")

    def settle(c):
        spare.fill_(1)
        c["graph"].replay()

    return settle


def host_sampler(n):
    """Host time of an eager call. The calls of a sample fit the driver's queue, so that none waits for the device."""

    def sample(c):
        calls = c["calls"]
        torch.cuda.synchronize()
        gc.disable()
        try:
            begin = time.perf_counter_ns()
            for i in range(n):
                calls[i % len(calls)]()
            end = time.perf_counter_ns()
        finally:
            gc.enable()
        torch.cuda.synchronize()
        return (end - begin) * 1e-3 / n

    return sample


def timings(case, made, sets, n):
    """All samples: of graphs, and of eager calls where the device is done with a call before the host has made the next."""
    regions = [("replay of a graph of calls between two events, per call", n, sampler(n), settler(), protocol.REST)]
    if case["bytes"] <= EAGER_BYTES:
        regions.append(("host time of an eager call from Python, without waiting for the device", EAGER_CALLS, host_sampler(EAGER_CALLS), lambda c: None, 0))
    for region, calls, sample, settle, rest in regions:
        timed = protocol.compete([dict(c) for c in made], sample, settle, rest)
        for c in timed:
            c.pop("graph", None), c.pop("calls", None)
        yield {"region": region, "sets": sets, "calls": calls, "cold_bytes": case["bytes"] * sets, "contenders": timed}


def run(case):
    operator = contenders.OPERATORS[case["operator"]](case["rows"], case["width"], case.get("depth", 0))
    sets = protocol.sets_for(case["bytes"])
    n = protocol.calls_for(case["bytes"], case["flops"], sets)
    made = prepare(operator, case["algorithm"], operator.operands(sets), n)
    say(id=case["id"], library=library(), kernels=kernels(case["operator"], case["spec"]), timings=list(timings(case, made, sets, n)))


def main():
    job = json.load(open(sys.argv[1]))
    torch.manual_seed(1)
    library()
    end = time.time() + job["limit_s"]
    for case in job["cases"]:
        if time.time() > end:
            say(id=case["id"], reason=f"the limit of {job['limit_s']} s was reached before it")
            continue
        try:
            run(case)
        except Exception as e:
            c = {}
            protocol.fail(c, e)
            say(id=case["id"], reason=c["error"])
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
