"""Oxide Infer for Python: operators of LLM inference on arrays that are already there.

    import oxideinfer as ox
    y = ox.rms_norm(x, weight, epsilon=1e-6)        # torch on a GPU: its memory, its current stream, no copy

The functions are those of the catalog (docs/operators.md). They take torch tensors, and arrays with __cuda_array_interface__, DLPack or
__array_interface__; what is not given is made. Arrays of the host run on the emulated device: slow, exact, for tests.

    import oxideinfer.torch_ops                      # torch.ops.oxideinfer.rms_norm: torch.compile, CUDA graphs
    import oxideinfer.huggingface                    # kernels in Llama and Qwen2 of transformers

There is no backward: a tensor that requires a gradient is refused with AutogradError. Call an operator once before capturing it in a
CUDA graph, so that its kernel is loaded.
"""

from .call import on_stream
from .errors import (ArgumentError, AutogradError, CaptureError, ContractError, DeviceLostError, DriverError, ForkedError, InternalError,
                     NoDriverError, OxideError, RejectedError, TargetError)
from .library import device, load
from .zops import *  # noqa: F403
from .zabi import CUDA, EMULATED, OPERATORS


def version():
    """Version and commit of the shared library."""
    return load().version()
