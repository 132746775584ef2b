"""RMSNorm on torch's memory and stream where there is a GPU, on memory of the host and the emulated device elsewhere.

    pip install ./adapters/python && python3 examples/python/rmsnorm.py
"""
import array
import oxideinfer as ox

try:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    x, weight = torch.arange(128.0, device=device).view(2, 64), torch.ones(64, device=device)
    with torch.cuda.stream(torch.cuda.Stream()) if device == "cuda" else torch.no_grad():
        y = ox.rms_norm(x, weight)[0, 1].item()
except ImportError:  # any array will do that says where its memory is
    class Row(array.array):
        @property
        def __array_interface__(self):
            return {"data": (self.buffer_info()[0], False), "shape": (len(self) // 64, 64)[len(self) == 64 :], "typestr": "<f4", "version": 3}

    device, y = "host", ox.rms_norm(Row("f", range(128)), Row("f", [1] * 64), y=Row("f", [0] * 128))[1]

print(f"{device}: y[0, 1] = {y:.6f}")
assert abs(y - 1333.5**-0.5) < 1e-6
