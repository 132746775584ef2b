"""Kernels of this library in the Llama and Qwen2 models of transformers.

    import oxideinfer.huggingface as oxide
    oxide.install()                                   # models that are made from now on, by from_pretrained or from_config
    oxide.replace(model)                              # or a model that is already there; it keeps its weights

Both put modules with our kernels in the place of the RMSNorm and of the gated MLP, through public functions of torch: install through
register_module_module_registration_hook, replace through Module.set_submodule. Parameter names stay, so checkpoints load. Modules that need a
gradient, and MLPs with another activation than SiLU, run transformers' own code.
"""

import torch
from torch import nn
from torch.nn.modules.module import register_module_module_registration_hook
from transformers.models.llama import modeling_llama
from transformers.models.qwen2 import modeling_qwen2

from . import torch_ops  # noqa: F401, registers torch.ops.oxideinfer

_ops = torch.ops.oxideinfer


def _needs_gradient(x, module):
    return torch.is_grad_enabled() and (x.requires_grad or any(p.requires_grad for p in module.parameters(recurse=False)))


class _RMSNorm:
    """x is normalised in f32 and rounded before the weight multiplies it, as these models define it."""

    def forward(self, hidden_states):
        if _needs_gradient(hidden_states, self):
            return super().forward(hidden_states)
        return _ops.rms_norm(hidden_states, self.weight, epsilon=self.variance_epsilon, rounding="before_weight")


class _GatedMLP:
    def forward(self, x):
        gate, up = self.gate_proj(x), self.up_proj(x)
        if self.config.hidden_act not in ("silu", "swish"):
            return self.down_proj(self.act_fn(gate) * up)
        if torch.is_grad_enabled() and (gate.requires_grad or up.requires_grad):
            return self.down_proj(self.act_fn(gate) * up)
        return self.down_proj(_ops.swiglu(gate=gate, up=up))


class OxideLlamaRMSNorm(_RMSNorm, modeling_llama.LlamaRMSNorm):
    pass


class OxideLlamaMLP(_GatedMLP, modeling_llama.LlamaMLP):
    pass


class OxideQwen2RMSNorm(_RMSNorm, modeling_qwen2.Qwen2RMSNorm):
    pass


class OxideQwen2MLP(_GatedMLP, modeling_qwen2.Qwen2MLP):
    pass


REPLACEMENTS = {
    modeling_llama.LlamaRMSNorm: OxideLlamaRMSNorm,
    modeling_llama.LlamaMLP: OxideLlamaMLP,
    modeling_qwen2.Qwen2RMSNorm: OxideQwen2RMSNorm,
    modeling_qwen2.Qwen2MLP: OxideQwen2MLP,
}

_installed = []


def install():
    """Puts our modules into every Llama and Qwen2 that is made from now on, by any constructor."""
    if not _installed:
        _installed.append(register_module_module_registration_hook(lambda parent, name, module: converted(module)))


def uninstall():
    """Ends what install did; models that are there stay as they are."""
    while _installed:
        _installed.pop().remove()


def replace(model):
    """Replaces the modules of a model and returns how many. They share their parameters with the old ones."""
    count = 0
    for name, old in list(model.named_modules()):
        new = converted(old)
        if new is not None:
            model.set_submodule(name, new)
            count += 1
    return count


def converted(old):
    """Our module with the parameters and settings of one of transformers', None where we have none."""
    kind = REPLACEMENTS.get(type(old))
    if kind is None:
        return None
    new = kind.__new__(kind)
    nn.Module.__init__(new)
    new.__dict__.update(old.__dict__)
    return new
