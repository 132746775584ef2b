"""The adapter on memory of the host and the emulated device. Run by `go test ./adapters/python`, or by hand with OXIDE_LIBRARY set.

Nothing but Python is needed; the tests of numpy and torch are skipped where those are absent, and say so.
"""

import ctypes
import gc
import math
import os
import struct
import subprocess
import sys
import threading
import unittest

import oxideinfer as ox
from oxideinfer import call, dlpack, infer, zabi
from oxideinfer.library import Plan, Recent, new

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None


class Array:
    """f32 memory with a shape, as any library has it."""

    def __init__(self, shape, values=None, strides=None, typestr="<f4", offset=0):
        n = offset + (math.prod(shape) if strides is None else 1 + sum((s - 1) * t // 4 for s, t in zip(shape, strides)))
        self.memory = (ctypes.c_float * (n + 16))()
        self.start = -ctypes.addressof(self.memory) % 64 // 4 + offset
        for i, v in zip(range(math.prod(shape)), values or []):
            self.memory[self.start + i] = v
        self.__array_interface__ = {"data": (ctypes.addressof(self.memory) + 4 * self.start, False), "shape": shape, "strides": strides,
                                    "typestr": typestr, "version": 3}

    def __getitem__(self, i):
        return self.memory[self.start + i]


def rms_norm(row, weight, epsilon=1e-6):
    scale = 1 / math.sqrt(sum(v * v for v in row) / len(row) + epsilon)
    return [v * scale * w for v, w in zip(row, weight)]


X = [float(i % 7 - 3) for i in range(2 * 3 * 64)]
W = [1 + i / 64 for i in range(64)]


class Host(unittest.TestCase):
    def close(self, got, want):
        for g, w in zip(got, want):
            self.assertAlmostEqual(g, w, delta=1e-6 * max(1, abs(w)))

    def test_leading_dimensions_and_in_place(self):
        x, y = Array((2, 3, 64), X), Array((2, 3, 64))
        self.assertIs(ox.rms_norm(x, Array((64,), W), y=y), y)
        for r in range(6):
            self.close([y[64 * r + i] for i in range(64)], rms_norm(X[64 * r : 64 * r + 64], W))
        ox.rms_norm(x, Array((64,), W), y=x)
        self.assertEqual([x[i] for i in range(384)], [y[i] for i in range(384)])

    def test_strides_and_misaligned_memory(self):
        x = Array((2, 64), strides=(4 * 70, 4), offset=1)
        for r in range(2):
            for i in range(64):
                x.memory[x.start + 70 * r + i] = X[64 * r + i]
        y = Array((2, 64))
        ox.rms_norm(x, Array((64,), W), y=y)
        self.close([y[64 + i] for i in range(64)], rms_norm(X[64:128], W))

    def test_single_row_and_no_rows(self):
        y = Array((64,))
        ox.rms_norm(Array((64,), X), Array((64,), W), y=y)
        self.close([y[i] for i in range(64)], rms_norm(X[:64], W))
        ox.rms_norm(Array((0, 64)), Array((64,), W), y=Array((0, 64)))

    def test_optional_operands(self):
        gate_up, y = Array((2, 16), X), Array((2, 8))
        ox.swiglu(gate_up, y=y)
        want = lambda g, u: g / (1 + math.exp(-g)) * u
        self.close([y[8 + i] for i in range(8)], [want(X[16 + i], X[24 + i]) for i in range(8)])
        ox.swiglu(gate=Array((2, 8), X), up=Array((2, 8), X[16:]), y=y)
        self.close([y[i] for i in range(8)], [want(X[i], X[16 + i]) for i in range(8)])
        q = Array((3, 2, 64))
        self.assertEqual(ox.head_rms_norm(Array((3, 2, 64), X), Array((64,), W), q_out=q), (q, None))
        self.close([q[64 + i] for i in range(64)], rms_norm(X[64:128], W))

    def test_products_are_planned_for_about_their_rows(self):
        def halves(shape, pair):  # two numbers of type f16 in the memory of one of type f32
            return Array(shape, [struct.unpack("<f", struct.pack("<2H", pair, pair))[0]] * (math.prod(shape) // 2), typestr="<f2")
        a, b, d = halves((3, 64), 0x3C00), halves((32, 64), 0x4000), halves((3, 32), 0)
        ox.matmul(a, b, d=d)
        self.assertEqual({struct.pack("<f", d[i]) for i in range(3 * 32 // 2)}, {struct.pack("<2H", 0x5800, 0x5800)})  # 128
        host = ox.device(ox.EMULATED, 0)
        texts = [host.plan_info(p).text.decode() for p in host.plans.entries.values()]
        self.assertTrue(any(t.startswith("gemm.matmul") and '"max_m": 4,' in t for t in texts))

    def test_every_operator_has_a_function(self):
        for name, op in ox.OPERATORS.items():
            self.assertTrue(callable(getattr(ox, name)), name)
            self.assertEqual([f.name for f in op.fields], [f[0] for f in op.spec._fields_[2:]])

    def test_refusals(self):
        x, w = Array((2, 64), X), Array((64,), W)
        for wrong, error in [
            (lambda: ox.rms_norm(x, Array((63,), W), y=x), ox.ContractError),
            (lambda: ox.rms_norm(x, w, y=Array((3, 64))), ox.ContractError),
            (lambda: ox.rms_norm(x, None, y=x), ox.ContractError),
            (lambda: ox.rms_norm(x, w, y=x, rounding="never"), ox.ContractError),
            (lambda: ox.rms_norm(x, w, y=x, epsilon=-1.0), ox.ContractError),
            (lambda: ox.rms_norm(x, w, y=x, weight_offset=0.5), ox.ContractError),
            (lambda: ox.rms_norm(x, w, y=x, algorithm="Fastest"), ox.ContractError),
            (lambda: ox.rms_norm(x, w, y=w), ox.ContractError),
            (lambda: ox.rms_norm(Array((2, 64), typestr="<c8"), w, y=x), ox.ArgumentError),
            (lambda: ox.rms_norm(Array((2, 64), typestr=">f4"), w, y=x), ox.ArgumentError),
            (lambda: ox.rms_norm(Array((2, 64), strides=(254, 4)), w, y=x), ox.ArgumentError),
            (lambda: ox.rms_norm(x, w), ox.ArgumentError),  # nothing knows how to make such an output
            (lambda: ox.rms_norm([1.0], w, y=x), ox.ArgumentError),
            (lambda: ox.swiglu(Array((2, 15), X), y=Array((2, 8))), ox.ContractError),
            (lambda: ox.swiglu(Array((2, 16), X), gate=Array((2, 8)), up=Array((2, 8)), y=Array((2, 8))), ox.ContractError),
        ]:
            with self.assertRaises(error) as caught:
                wrong()
            self.assertTrue(str(caught.exception))
        self.assertEqual(caught.exception.operator, "activation.swiglu")
        with self.assertRaises(ox.ContractError) as caught:  # the library's own refusal comes whole
            ox.rms_norm(x, w, y=x, epsilon=-1.0)
        self.assertEqual((caught.exception.field, caught.exception.operator), ("epsilon", "normalization.rms_norm"))
        self.assertIn("a number from 0", caught.exception.want)

    def test_uneven_leading_dimensions(self):
        self.assertEqual(infer.merged(None, "x", (2, 3, 64), (192, 64, 1), 2), ((6, 64), (64, 1)))
        self.assertEqual(infer.merged(None, "x", (2, 1, 64), (640, 7, 1), 2), ((2, 64), (640, 1)))
        with self.assertRaises(ox.ContractError):
            infer.merged(ox.OPERATORS["rms_norm"], "x", (2, 3, 64), (200, 64, 1), 2)

    def test_threads(self):
        failures = []

        def work():
            try:
                y = Array((64,))
                for _ in range(10):
                    ox.rms_norm(Array((64,), X), Array((64,), W), y=y)
                    self.close([y[i] for i in range(64)], rms_norm(X[:64], W))
            except BaseException as e:
                failures.append(e)

        threads = [threading.Thread(target=work) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(failures, [])

    def test_device_and_plan(self):
        d = ox.device(ox.EMULATED, 0)
        self.assertEqual((d.info().major, d.info().kind), (9, ox.EMULATED))
        op = ox.OPERATORS["rms_norm"]
        values = dict(max_rows=4, hidden=64, input=zabi.DTYPES["f32"][0], weight=0, output=0, x_stride=0, y_stride=0, align=4, epsilon=1e-6,
                      weight_offset=0.0, rounding=0, output_scale=1.0)
        answers = d.capabilities(op, values)
        self.assertEqual([bool(a.supported) for a in answers], [False, False, True])
        self.assertIn(b"align", answers[0].reason)
        plan = d.plan(op, values)
        self.assertEqual(plan, d.plan(op, dict(values)))
        self.assertEqual(d.plan_info(plan).algorithm, answers[2].algorithm)
        with self.assertRaises(ox.NoDriverError):
            ox.device(ox.EMULATED, 5)
        self.assertTrue(ox.version())

    def test_fork(self):
        code = ("import os, oxideinfer as ox; d = ox.device(ox.EMULATED, 0); child = os.fork()\n"
                "if child == 0:\n"
                "    try: d.info()\n"
                "    except ox.ForkedError: os._exit(7)\n"
                "    os._exit(1)\n"
                "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 7)

    def test_values_that_c_would_cut(self):
        x, w = Array((2, 64), X), Array((64,), W)
        for values in ({"epsilon": "0"}, {"epsilon": 10**400}, {"epsilon": None}):
            with self.assertRaises(ox.ContractError) as caught:
                ox.rms_norm(x, w, y=x, **values)
            self.assertEqual(caught.exception.field, "epsilon")
        for algorithm in ("OxideSm90RMSNormRow\0Fast", 5, b"OxideSm90RMSNormRow", "a" * 500, "\udc80"):
            with self.assertRaises((ox.ArgumentError, ox.ContractError), msg=repr(algorithm)):
                ox.rms_norm(x, w, y=x, algorithm=algorithm)
        op, spec = ox.OPERATORS["rms_norm"], {}
        for f in op.fields:
            spec[f.name] = 0
        for hidden in (1 << 64 | 64, 1.5, "64"):
            with self.assertRaises(ox.ContractError) as caught:
                ox.device(ox.EMULATED, 0).spec(op, {**spec, "hidden": hidden})
            self.assertEqual(caught.exception.field, "hidden")

    def test_memory_that_may_not_be_written(self):
        x, w, y = Array((2, 64), X), Array((64,), W), Array((2, 64))
        ox.rms_norm(x, w, y=y)  # keeps a call of these shapes
        before = [y[i] for i in range(128)]
        y.__array_interface__["data"] = (y.__array_interface__["data"][0], True)
        with self.assertRaises(ox.ContractError) as caught:
            ox.rms_norm(Array((2, 64), X[1:] + X[:1]), w, y=y)
        self.assertEqual(caught.exception.field, "y")
        self.assertEqual([y[i] for i in range(128)], before)
        x.__array_interface__["data"] = (x.__array_interface__["data"][0], True)  # an input may be read-only
        z = Array((2, 64))
        ox.rms_norm(x, w, y=z)
        self.assertEqual([z[i] for i in range(128)], before)

    def test_arrays_without_numbers(self):
        w, y = Array((64,), W), Array((2, 64))
        for typestr in ("|O", "|V", "<U4", "|S3", "<M8[ns]"):
            with self.assertRaises(ox.ArgumentError, msg=typestr):
                ox.rms_norm(Array((2, 64), X, typestr=typestr), w, y=y)
        for change in ({"mask": y}, {"data": None}):
            x = Array((2, 64), X)
            x.__array_interface__.update(change)
            with self.assertRaises(ox.ArgumentError, msg=change):
                ox.rms_norm(x, w, y=y)

    def test_dlpack(self):
        names = (ctypes.c_int64 * 2)(2, 64)
        x = Array((2, 64), X)
        t = dlpack._Tensor(x.__array_interface__["data"][0], 1, 0, 2, 2, 32, 1, names, None, 0)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

        class Exporter:
            def __dlpack_device__(self):
                return (1, 0)

            def __dlpack__(self):
                return make(ctypes.addressof(t), b"dltensor", None)

        y = Array((2, 64))
        ox.rms_norm(Exporter(), Array((64,), W), y=y)
        self.close([y[i] for i in range(64)], rms_norm(X[:64], W))
        t.lanes = 2
        with self.assertRaises(ox.ArgumentError):
            ox.rms_norm(Exporter(), Array((64,), W), y=y)

    def test_plans_and_calls_are_bounded(self):
        d = ox.device(ox.EMULATED, 0)
        kept, made, destroyed = d.plans, call._made, []
        self.addCleanup(setattr, d, "plans", kept)
        self.addCleanup(setattr, call, "_made", made)
        self.addCleanup(setattr, Plan, "__del__", Plan.__del__)
        really = Plan.__del__
        Plan.__del__ = lambda plan: destroyed.append(int(plan)) or really(plan)
        d.plans, call._made = Recent(4), Recent(6)
        for round in range(3):
            for width in range(64, 64 + 20):
                x = Array((1, width), [float(i % 5 - 2) for i in range(width)])
                y = ox.rms_norm(x, Array((width,), [1.0] * width), y=Array((1, width)))
                self.close([y[i] for i in range(width)], rms_norm([x[i] for i in range(width)], [1.0] * width))
                self.assertLessEqual(len(d.plans.entries), 4)
                self.assertLessEqual(len(call._made.entries), 6)
        gc.collect()
        self.assertGreaterEqual(len(destroyed), 3 * 20 - 6)
        self.assertEqual(len(destroyed), len(set(destroyed)))
        for plan in d.plans.entries.values():
            self.assertNotIn(int(plan), destroyed)
            self.assertIn("rms_norm", d.plan_info(plan).text.decode())
        with self.assertRaises(ox.OxideError):
            d.plan_info(destroyed[0])

    def test_what_cannot_be_seen_is_quoted(self):
        x = Array((1, 64), X[:64])
        with self.assertRaises(ox.ContractError) as caught:
            ox.rms_norm(x, Array((64,), W), rounding="\x1b[31mno\n")
        self.assertTrue(str(caught.exception).isprintable(), repr(str(caught.exception)))
        self.assertEqual(caught.exception.got, "\x1b[31mno\n")
        with self.assertRaises(ox.OxideError) as caught:
            ox.rms_norm(x, Array((64,), W), algorithm="\x1b[31mno\n")
        self.assertTrue(str(caught.exception).isprintable(), repr(str(caught.exception)))

    def test_the_plan_used_longest_ago_goes(self):
        r = Recent(3)
        for k in "abc":
            self.assertEqual(r.keep(k, k.upper()), k.upper())
        self.assertEqual(r.get("a"), "A")
        r.keep("d", "D")
        self.assertEqual(list(r.entries), ["c", "a", "d"])
        self.assertIsNone(r.get("b"))
        self.assertEqual(r.keep("a", "other"), "A")

    def test_a_bounded_cache_in_many_threads(self):
        d = ox.device(ox.EMULATED, 0)
        kept, made = d.plans, call._made
        self.addCleanup(setattr, d, "plans", kept)
        self.addCleanup(setattr, call, "_made", made)
        d.plans, call._made = Recent(2), Recent(2)
        wrong = []

        def work(seed):
            try:
                for n in range(60):
                    width = 64 + (seed * 7 + n * 5) % 9
                    x = Array((1, width), [float(i % 5 - 2) for i in range(width)])
                    y = ox.rms_norm(x, Array((width,), [1.0] * width), y=Array((1, width)))
                    want = rms_norm([x[i] for i in range(width)], [1.0] * width)
                    if any(abs(y[i] - want[i]) > 1e-5 for i in range(width)):
                        wrong.append(width)
            except Exception as e:
                wrong.append(e)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


@unittest.skipIf(numpy is None, "not run, because numpy is absent")
class Numpy(unittest.TestCase):
    def test_outputs_are_made(self):
        x, r, w = (numpy.random.default_rng(s).standard_normal(n, dtype=numpy.float32) for s, n in ((1, (2, 3, 128)), (2, (2, 3, 128)), (3, 128)))
        total, y = ox.add_rms_norm(x, r, w, epsilon=1e-5)
        numpy.testing.assert_array_equal(total, x + r)
        want = total / numpy.sqrt((total.astype(numpy.float64) ** 2).mean(-1, keepdims=True) + 1e-5) * w
        numpy.testing.assert_allclose(y, want, rtol=4e-6, atol=1e-6)
        half = ox.gelu(x.astype(numpy.float16))
        self.assertEqual((half.dtype, half.shape), (numpy.float16, x.shape))
        with self.assertRaises(ox.ArgumentError):
            ox.rms_norm(x, w, output="e4m3")  # numpy has no such type

    def test_transposed_memory_is_refused(self):
        x = numpy.zeros((64, 8), numpy.float32).T
        with self.assertRaises(ox.ContractError):
            ox.rms_norm(x, numpy.ones(64, numpy.float32))


@unittest.skipIf(torch is None, "not run, because torch is absent")
class Torch(unittest.TestCase):
    def setUp(self):
        import oxideinfer.torch_ops  # noqa: F401

        self.ops = torch.ops.oxideinfer
        torch.manual_seed(1)
        self.x, self.w = torch.randn(2, 3, 64), torch.rand(64)

    def test_operators(self):
        want = torch.nn.functional.rms_norm(self.x, (64,), self.w, 1e-6)
        torch.testing.assert_close(self.ops.rms_norm(self.x, self.w), want)
        torch.testing.assert_close(self.ops.rms_norm(self.x.bfloat16(), self.w.bfloat16()), want.bfloat16(), rtol=2e-2, atol=2e-2)
        self.assertEqual(self.ops.rms_norm(self.x, self.w, output="e4m3").dtype, torch.float8_e4m3fn)

    def test_registration(self):
        check = torch.library.opcheck
        check(self.ops.rms_norm.default, (self.x, self.w))
        check(self.ops.add_rms_norm.default, (self.x, self.x.clone(), self.w), {"rounding": "before_weight"})
        check(self.ops.swiglu.default, (self.x,))
        check(self.ops.geglu.default, (), {"gate": self.x, "up": self.x.clone(), "approximation": "tanh"})
        check(self.ops.head_rms_norm.default, (self.x, self.w))
        check(self.ops.layer_norm.default, (self.x, self.w, self.w.clone()))

    def test_compiled(self):
        f = torch.compile(lambda x, w: self.ops.rms_norm(x + 1, w) * 2, backend="aot_eager", fullgraph=True)
        torch.testing.assert_close(f(self.x, self.w), 2 * torch.nn.functional.rms_norm(self.x + 1, (64,), self.w, 1e-6))

    def test_autograd_is_refused(self):
        with self.assertRaises(ox.AutogradError):
            self.ops.rms_norm(self.x.requires_grad_(), self.w)
        with torch.no_grad():
            self.ops.rms_norm(self.x, self.w)

    def test_transformers(self):
        try:
            from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config
        except ImportError:
            self.skipTest("not run, because transformers is absent")
        import oxideinfer.huggingface as hf

        for config in (LlamaConfig, Qwen2Config):
            c = config(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=100)
            model, ids = AutoModelForCausalLM.from_config(c).eval(), torch.arange(12).view(2, 6)
            with torch.no_grad():
                want = model(ids).logits
                hf.install()
                try:
                    ours = AutoModelForCausalLM.from_config(c).eval()
                finally:
                    hf.uninstall()
                ours.load_state_dict(model.state_dict())
                torch.testing.assert_close(ours(ids).logits, want)
                self.assertEqual(hf.replace(ours), 0)
                self.assertEqual(hf.replace(model), 7)  # two norms and an MLP a layer, and the last norm
                torch.testing.assert_close(model(ids).logits, want)
            model(ids).logits.sum().backward()  # with gradients the model's own code runs
            self.assertIsNotNone(model.model.norm.weight.grad)


if __name__ == "__main__":
    unittest.main()
