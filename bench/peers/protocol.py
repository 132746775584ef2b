"""How contenders are timed, without any of them: orders, warm-up, limits of time. Pure Python.

A contender is timed by replays of a graph that holds its calls; every call of a round has operands of its own. All contenders run in
one order and then in the opposite one, and every sample is kept: medians, intervals, drift and ranking are computed by oxidelab from
the samples.
"""

WARM, SAMPLES = 3, 25
COLD_BYTES, MAX_SETS = 260e6, 400
GRAPH_SECONDS = 4e-3
MEMORY_RATE = 4.55e12  # bytes a second, only to guess how many calls fill GRAPH_SECONDS


def sets_for(bytes_per_call):
    """Copies of the operands that calls go round: several times what L2 holds, where MAX_SETS copies reach that."""
    return min(MAX_SETS, int(COLD_BYTES / max(bytes_per_call, 1)) + 1)


def calls_for(bytes_per_call, sets):
    """Calls in a graph: whole rounds of the sets, about GRAPH_SECONDS of them."""
    return (int(GRAPH_SECONDS / (1e-6 + bytes_per_call / MEMORY_RATE)) // sets + 1) * sets


def orders(n):
    """The orders in which n contenders run."""
    return [list(range(n)), list(reversed(range(n)))]


def compete(contenders, sample):
    """Times contenders (dicts with "name"; those with "error" are out) in every order. sample(contender) returns microseconds.

    Adds "rounds" to each: the order, the position in it and the samples. A contender that fails gets "error" and no rounds.
    """
    for number, order in enumerate(orders(len(contenders))):
        for position, i in enumerate(order):
            c = contenders[i]
            if c.get("error"):
                continue
            try:
                for _ in range(WARM):
                    sample(c)
                c.setdefault("rounds", []).append({"order": number, "position": position, "us": [sample(c) for _ in range(SAMPLES)]})
            except Exception as e:  # a peer that breaks is a result, not an end
                fail(c, e)
    for c in contenders:
        if c.get("error"):
            c.pop("rounds", None)
    return contenders


def fail(contender, e):
    """Marks a contender as out, with the first line of why."""
    lines = (str(e) or repr(e)).strip().splitlines()
    contender["error"] = f"{type(e).__name__}: {lines[0] if lines else ''}"[:300]
