"""Tests of protocol.py: python3 -m unittest protocol_test"""

import statistics
import time
import unittest

import protocol


class Compete(unittest.TestCase):
    def test_rounds_go_in_both_orders_in_turns(self):
        seen = []
        out = protocol.compete([{"name": n} for n in "abc"], lambda c: seen.append(c["name"]) or float(len(seen)), lambda c: seen.append("settle " + c["name"]), 0)
        once = [x for n in "abccbacbaabc" for x in ("settle " + n, n)]
        self.assertEqual(seen, once * ((protocol.WARM + protocol.SAMPLES) // 2))
        self.assertEqual([[(r["order"], r["position"], len(r["us"])) for r in c["rounds"]] for c in out],
                         [[(0, 0, protocol.SAMPLES), (1, 2, protocol.SAMPLES)], [(0, 1, protocol.SAMPLES), (1, 1, protocol.SAMPLES)],
                          [(0, 2, protocol.SAMPLES), (1, 0, protocol.SAMPLES)]])
        first = 12 * protocol.WARM  # calls before the first sample that counts
        self.assertEqual([c["rounds"][0]["us"][0] for c in out], [first + 2, first + 4, first + 6])
        self.assertEqual([c["rounds"][1]["us"][0] for c in out], [first + 12, first + 10, first + 8])

    def test_a_trend_of_the_card_is_no_drift(self):
        """A card that gets slower by a half over the run: the medians of the two orders stay within 1 % for every contender."""
        now = [0]

        def sample(c):
            now[0] += 1
            return c["us"] * (1 + 0.5 * now[0] / (8 * (protocol.WARM + protocol.SAMPLES)))

        for c in protocol.compete([{"name": n, "us": u} for n, u in (("a", 1.0), ("b", 2.0), ("c", 3.0), ("d", 4.0))], sample, rest=0):
            low, high = sorted(statistics.median(r["us"]) for r in c["rounds"])
            self.assertLess(high / low, 1.01, c["name"])

    def test_a_contender_that_breaks_is_out_in_both_orders(self):
        for broken in ("settle", "sample"):
            calls = {"a": 0, "b": 0}

            def count(c, where):
                calls[c["name"]] += 1
                if where == broken and c["name"] == "b" and calls["b"] > 4 * protocol.WARM + 5:
                    raise RuntimeError("gone\nand more")
                return 1.0

            a, b = protocol.compete([{"name": "a"}, {"name": "b"}], lambda c: count(c, "sample"), lambda c: count(c, "settle"), 0)
            self.assertEqual(len(a["rounds"]), 2)
            self.assertEqual((b["error"], "rounds" in b), ("RuntimeError: gone", False))
        self.assertNotIn("rounds", protocol.compete([{"name": "c", "error": "not there"}], None)[0])

    def test_the_device_rests_as_long_as_it_was_told(self):
        worked = 2e-3
        begin = time.perf_counter()
        protocol.compete([{"name": "a"}], lambda c: time.sleep(worked) or 1.0, rest=2)
        self.assertGreaterEqual(time.perf_counter() - begin, 3 * worked * 2 * (protocol.WARM + protocol.SAMPLES))

    def test_sizes(self):
        self.assertEqual(protocol.sets_for(1), protocol.MAX_SETS)
        self.assertEqual(protocol.sets_for(130e6), 3)
        for nbytes in (1, 16384, 67108864, 268435456):
            sets = protocol.sets_for(nbytes)
            calls = protocol.calls_for(nbytes, 0, sets)
            self.assertTrue(calls >= sets and calls % sets == 0, (nbytes, sets, calls))
        self.assertEqual(protocol.calls_for(402e6, 1.1e12, 1), 3)  # a product that its operations bound


if __name__ == "__main__":
    unittest.main()
