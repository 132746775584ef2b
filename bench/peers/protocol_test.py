"""Tests of protocol.py: python3 -m unittest protocol_test"""

import unittest

import protocol


class Compete(unittest.TestCase):
    def test_both_orders_and_all_samples(self):
        seen = []
        out = protocol.compete([{"name": n} for n in "abc"], lambda c: seen.append(c["name"]) or float(ord(c["name"])))
        once = protocol.WARM + protocol.SAMPLES
        self.assertEqual(seen, list("a" * once + "b" * once + "c" * once + "c" * once + "b" * once + "a" * once))
        self.assertEqual([[(r["order"], r["position"], len(r["us"])) for r in c["rounds"]] for c in out],
                         [[(0, 0, protocol.SAMPLES), (1, 2, protocol.SAMPLES)], [(0, 1, protocol.SAMPLES), (1, 1, protocol.SAMPLES)],
                          [(0, 2, protocol.SAMPLES), (1, 0, protocol.SAMPLES)]])

    def test_a_contender_that_breaks_is_out_in_both_orders(self):
        calls = {"a": 0, "b": 0}

        def sample(c):
            calls[c["name"]] += 1
            if c["name"] == "b" and calls["b"] > protocol.WARM + protocol.SAMPLES:
                raise RuntimeError("gone\nand more")
            return 1.0

        a, b = protocol.compete([{"name": "a"}, {"name": "b"}], sample)
        self.assertEqual(len(a["rounds"]), 2)
        self.assertEqual((b["error"], "rounds" in b), ("RuntimeError: gone", False))
        self.assertNotIn("rounds", protocol.compete([{"name": "c", "error": "not there"}], sample)[0])

    def test_sizes(self):
        self.assertEqual(protocol.sets_for(1), protocol.MAX_SETS)
        self.assertEqual(protocol.sets_for(130e6), 3)
        for nbytes in (1, 16384, 67108864, 268435456):
            sets = protocol.sets_for(nbytes)
            calls = protocol.calls_for(nbytes, sets)
            self.assertTrue(calls >= sets and calls % sets == 0, (nbytes, sets, calls))


if __name__ == "__main__":
    unittest.main()
