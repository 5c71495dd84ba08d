#!/usr/bin/env python3
"""Distils a sentence encoder into the static table that argosy-static-embed ships.

    distill.py MODEL TABLE [--dims 256] [--power 1] [--pool token]

MODEL is a folder with the `model.safetensors` and `vocab.txt` of a BERT encoder; TABLE is the file to
write. Every word piece goes through the encoder alone, as `[CLS] piece [SEP]`; the vectors are centred,
turned onto their principal axes and stretched along each by its standard deviation to the power of
minus `power` (0 is plain PCA, 1 is full whitening), cut to `dims` and stored as bytes, one scale a row.

Needs numpy and safetensors, and no torch: the forward pass is written out below. README.md says where
the model comes from, and what the figures are.
"""

import argparse
import pathlib
import struct

import numpy as np
from safetensors import safe_open

MAGIC = b"ARGOTABL"
VERSION = 1
CLS, SEP = 101, 102
HEADS = 12
EPSILON = 1e-12
BATCH = 64


def load(path):
    """All tensors of a safetensors file, as float32."""
    with safe_open(path, "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def erf(x):
    """Abramowitz and Stegun 7.1.26: off by 1.5e-7 at most, which is what float32 can tell."""
    t = 1.0 / (1.0 + 0.3275911 * np.abs(x))
    poly = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592
    return np.sign(x) * (1.0 - poly * t * np.exp(-x * x))


def gelu(x):
    return x * 0.5 * (1.0 + erf(x * np.float32(0.7071067811865476)))


class Bert:
    """The forward pass of a BERT encoder over sequences of one length."""

    def __init__(self, weights):
        self.weights = weights
        self.layers = 1 + max(int(n.split(".")[2]) for n in weights if n.startswith("encoder.layer."))

    def dense(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attention(self, x, layer, mask):
        batch, length, width = x.shape

        def heads(name):
            y = self.dense(x, f"{layer}.attention.self.{name}")
            return y.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / (width // HEADS) ** 0.5
        if mask is not None:
            scores = scores + np.where(mask, 0.0, -1e9)[:, None, None, :].astype(np.float32)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ heads("value")).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.dense(mixed, f"{layer}.attention.output.dense")

    def __call__(self, ids, mask=None):
        """Hidden states [batch, length, width] of the last layer; `mask` tells tokens from padding."""
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            x = self.norm(x + self.attention(x, layer, mask), f"{layer}.attention.output.LayerNorm")
            inner = self.dense(gelu(self.dense(x, f"{layer}.intermediate.dense")), f"{layer}.output.dense")
            x = self.norm(x + inner, f"{layer}.output.LayerNorm")
        return x


def pieces(bert, pool):
    """One vector for each piece of the vocabulary: of the piece itself, or the mean with its frame."""
    count = len(bert.weights["embeddings.word_embeddings.weight"])
    rows = []
    for start in range(0, count, BATCH):
        ids = np.arange(start, min(start + BATCH, count))
        framed = np.stack([np.full_like(ids, CLS), ids, np.full_like(ids, SEP)], 1)
        states = bert(framed)
        rows.append(states[:, 1] if pool == "token" else states.mean(1))
    return np.concatenate(rows)


def reduce(vectors, dims, power):
    """Centred, on the first `dims` principal axes, each stretched by its deviation ** -power."""
    centred = vectors - vectors.mean(0)
    values, axes = np.linalg.eigh(np.cov(centred, rowvar=False))
    order = np.argsort(values)[::-1][:dims]
    # An axis has two directions: the first heavy component decides, so that a run can be repeated.
    axes = axes[:, order] * np.sign(axes[np.abs(axes[:, order]).argmax(0), order])
    out = centred @ axes * values[order] ** (-power / 2)
    # A scale for the whole table changes nothing; this one keeps the numbers near 1.
    return (out / np.sqrt((out * out).sum(1)).mean()).astype(np.float32)


def quantise(table):
    """Bytes and one scale a row: value = byte * scale."""
    scales = np.abs(table).max(1) / 127
    scales[scales == 0] = 1
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def write(path, codes, scales):
    rows, dims = codes.shape
    header = MAGIC + struct.pack("<III", VERSION, rows, dims)
    path.write_bytes(header + scales.astype("<f4").tobytes() + codes.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--power", type=float, default=1.0)
    parser.add_argument("--pool", choices=["token", "frame"], default="token")
    args = parser.parse_args()
    bert = Bert(load(args.model / "model.safetensors"))
    table = reduce(pieces(bert, args.pool), args.dims, args.power)
    codes, scales = quantise(table)
    write(args.table, codes, scales)
    error = np.sqrt(((codes * scales[:, None] - table) ** 2).mean() / (table**2).mean())
    print(f"{len(table)} rows of {args.dims}, {args.table.stat().st_size} bytes, relative error {error:.5f}")


if __name__ == "__main__":
    main()
