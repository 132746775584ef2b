"""How contenders are timed, without any of them: orders, warm-up, rests, limits of time. Pure Python.

A contender's graph holds calls that go round operands of its own. Every round takes one sample of each contender, in one order, in the
opposite one twice, in the first again: what a card does over time, as to lower its clocks near its power limit, is the same for all. Before
a sample the caller's settle() brings the device into a state that does not depend on who ran before, and behind it the device rests, so that
no contender heats the card for the next. Every sample is kept: medians, intervals, drift and ranking are computed by oxidelab.
"""

import time

WARM, SAMPLES = 2, 26  # rounds in each order
COLD_BYTES, MAX_SETS = 260e6, 400
GRAPH_SECONDS = 4e-3
MEMORY_RATE, TENSOR_RATE = 4.55e12, 8e14  # bytes and operations a second, only to guess how many calls fill GRAPH_SECONDS
REST = 1.5  # seconds of rest for a second of work


def sets_for(bytes_per_call):
    """Copies of the operands that calls go round: several times what L2 holds, where MAX_SETS copies reach that."""
    return min(MAX_SETS, int(COLD_BYTES / max(bytes_per_call, 1)) + 1)


def calls_for(bytes_per_call, flops_per_call, sets):
    """Calls in a graph: whole rounds of the sets, about GRAPH_SECONDS of them."""
    return (int(GRAPH_SECONDS / (1e-6 + max(bytes_per_call / MEMORY_RATE, flops_per_call / TENSOR_RATE))) // sets + 1) * sets


def orders(n):
    """The orders in which n contenders run."""
    return [list(range(n)), list(reversed(range(n)))]


def compete(contenders, sample, settle=lambda c: None, rest=REST):
    """Times contenders (dicts with "name"; those with "error" are out) in every order. sample(contender) returns microseconds.

    Adds "rounds" to each: the order, the position in it and the samples. A contender that fails gets "error" and no rounds.
    """
    both = orders(len(contenders))
    for c in contenders:
        c["rounds"] = []
    for n in range(2 * (WARM + SAMPLES)):
        number = (0, 1, 1, 0)[n % 4]
        for position, i in enumerate(both[number]):
            c = contenders[i]
            if c.get("error"):
                continue
            begin = time.perf_counter()
            try:
                settle(c)
                us = sample(c)
            except Exception as e:  # a peer that breaks is a result, not an end
                fail(c, e)
                continue
            if n >= 2 * WARM:
                if len(c["rounds"]) <= number:
                    c["rounds"].append({"order": number, "position": position, "us": []})
                c["rounds"][number]["us"].append(us)
            time.sleep(rest * (time.perf_counter() - begin))
    for c in contenders:
        if c.get("error"):
            c.pop("rounds", None)
    return contenders


def fail(contender, e):
    """Marks a contender as out, with the first line of why."""
    lines = (str(e) or repr(e)).strip().splitlines()
    contender["error"] = f"{type(e).__name__}: {lines[0] if lines else ''}"[:300]
