"""Qwen2 in plain torch, as short and as quick as its mathematics allow: one projection for q, k and v, scaled dot
product attention, tied embeddings."""

import json
import pathlib

import torch
from safetensors.torch import load_file
from torch.nn.functional import embedding, linear, rms_norm, scaled_dot_product_attention, silu


class Lean:
    def __init__(self, folder):
        self.config = c = json.loads(pathlib.Path(folder, "config.json").read_text())
        given = load_file(str(pathlib.Path(folder, "model.safetensors")))
        self.dim = c["hidden_size"] // c["num_attention_heads"]
        self.weights = w = {"embed": given["model.embed_tokens.weight"], "norm": given["model.norm.weight"]}
        for i in range(c["num_hidden_layers"]):
            layer = {k.removeprefix(f"model.layers.{i}."): v for k, v in given.items() if k.startswith(f"model.layers.{i}.")}
            for kind in ("weight", "bias"):
                w[f"{i}.qkv.{kind}"] = torch.cat([layer[f"self_attn.{p}_proj.{kind}"] for p in "qkv"])
            w[f"{i}.o"] = layer["self_attn.o_proj.weight"]
            w[f"{i}.up"] = torch.cat([layer["mlp.gate_proj.weight"], layer["mlp.up_proj.weight"]])
            w[f"{i}.down"] = layer["mlp.down_proj.weight"]
            w[f"{i}.norm1"], w[f"{i}.norm2"] = layer["input_layernorm.weight"], layer["post_attention_layernorm.weight"]
        rates = c["rope_theta"] ** (-torch.arange(0, self.dim, 2) / self.dim)
        angles = torch.outer(torch.arange(c["max_position_embeddings"]), rates).repeat(1, 2)
        self.cos, self.sin = angles.cos(), angles.sin()

    def norm(self, x, name):
        return rms_norm(x, (x.shape[-1],), self.weights[name], self.config["rms_norm_eps"])

    def rotate(self, x):
        half = self.dim // 2
        turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        return x * self.cos[: x.shape[-2]] + turned * self.sin[: x.shape[-2]]

    def forward(self, ids):
        """Final states [batch, width, hidden] of rows padded on the right."""
        c, w = self.config, self.weights
        heads, kv = c["num_attention_heads"], c["num_key_value_heads"]
        x = embedding(ids, w["embed"])
        for i in range(c["num_hidden_layers"]):
            y = linear(self.norm(x, f"{i}.norm1"), w[f"{i}.qkv.weight"], w[f"{i}.qkv.bias"])
            y = y.unflatten(-1, (heads + 2 * kv, self.dim)).transpose(1, 2)
            both, v = self.rotate(y[:, : heads + kv]), y[:, heads + kv :]
            y = scaled_dot_product_attention(both[:, :heads], both[:, heads:], v, is_causal=True, enable_gqa=True)
            x = x + linear(y.transpose(1, 2).flatten(2), w[f"{i}.o"])
            gate, up = linear(self.norm(x, f"{i}.norm2"), w[f"{i}.up"]).chunk(2, dim=-1)
            x = x + linear(silu(gate) * up, w[f"{i}.down"])
        return self.norm(x, "norm")

    def logits(self, hidden):
        return linear(hidden, self.weights["embed"])
