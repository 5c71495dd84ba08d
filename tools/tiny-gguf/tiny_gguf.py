#!/usr/bin/env python3
"""Writes a language model of random weights as a GGUF file of about 600 KB.

A real server loads it and does all that it does with a real model: it keeps to its context, counts
tokens, streams, follows a grammar. What it says means nothing. For tests of a protocol, never of wit.

The same arguments give the same bytes, on every machine. Needs Python 3 and nothing else.
"""

import argparse
import array
import random
import struct
import sys

ALIGNMENT = 32
HEADS = 4
# How GGUF numbers the kinds of values, of tensors and of tokens.
U32, F32, I32, STRING, ARRAY = 4, 6, 5, 8, 9
TENSOR_F32 = 0
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
# The first tokens: three specials and every byte.
UNSAID = 3 + 256

# Pieces with a word's beginning in them, so that plain English is not one token a letter.
WORDS = """the of and to in for is on that by this with you it not or be are from at as your have
more was we will can all if has but what which their one any would there when may who only so
answer question passage passages fact facts relevant true false null source text number date
notice period days contract agreement termination invoice total amount vendor customer""".split()
SPACE = "\u2581"
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "assistant:"
)


def vocabulary():
    """Token, score and kind of each: specials, every byte, printable signs, words."""
    tokens = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    tokens += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    # A tokenizer of this kind joins neighbours step by step, so every beginning has to be a token.
    pieces = [SPACE] + [chr(sign) for sign in range(33, 127)]
    for word in WORDS:
        pieces += [(SPACE + word)[:end] for end in range(2, len(word) + 2)]
    pieces = list(dict.fromkeys(pieces))
    # Longer ones are joined first.
    tokens += [(piece, len(piece) - 10.0 - rank / 1e4, NORMAL) for rank, piece in enumerate(pieces)]
    return tokens


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def values(kind, entries):
    head = struct.pack("<IQ", kind, len(entries))
    if kind == STRING:
        return head + b"".join(text(entry) for entry in entries)
    return head + struct.pack(f"<{len(entries)}{'f' if kind == F32 else 'i'}", *entries)


def metadata(options, tokens):
    """The key-value section: each key with the kind and the bytes of its value."""
    number = lambda value: (U32, struct.pack("<I", value))
    words = lambda value: (STRING, text(value))
    names, scores, kinds = zip(*tokens)
    return {
        "general.architecture": words("llama"),
        "general.name": words("tiny-random"),
        "general.file_type": number(0),
        "general.alignment": number(ALIGNMENT),
        "llama.context_length": number(options.context),
        "llama.embedding_length": number(options.width),
        "llama.block_count": number(options.layers),
        "llama.feed_forward_length": number(3 * options.width),
        "llama.attention.head_count": number(HEADS),
        "llama.attention.head_count_kv": number(HEADS),
        "llama.attention.layer_norm_rms_epsilon": (F32, struct.pack("<f", 1e-5)),
        "llama.rope.dimension_count": number(options.width // HEADS),
        "llama.vocab_size": number(len(tokens)),
        "tokenizer.ggml.model": words("llama"),
        "tokenizer.ggml.tokens": (ARRAY, values(STRING, names)),
        "tokenizer.ggml.scores": (ARRAY, values(F32, scores)),
        "tokenizer.ggml.token_type": (ARRAY, values(I32, kinds)),
        "tokenizer.ggml.bos_token_id": number(1),
        "tokenizer.ggml.eos_token_id": number(2),
        "tokenizer.ggml.unknown_token_id": number(0),
        "tokenizer.chat_template": words(TEMPLATE),
    }


def tensors(options, tokens):
    """Name and dimensions of each, the fastest first; one dimension is a norm."""
    wide, inner = options.width, 3 * options.width
    yield "token_embd.weight", (wide, len(tokens))
    yield "output_norm.weight", (wide,)
    yield "output.weight", (wide, len(tokens))
    for layer in range(options.layers):
        block = f"blk.{layer}."
        yield block + "attn_norm.weight", (wide,)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"{block}{name}.weight", (wide, wide)
        yield block + "ffn_norm.weight", (wide,)
        yield block + "ffn_gate.weight", (wide, inner)
        yield block + "ffn_up.weight", (wide, inner)
        yield block + "ffn_down.weight", (inner, wide)


def weights(name, dimensions, rng):
    if len(dimensions) == 1:
        data = array.array("f", [1.0]) * dimensions[0]
    else:
        count = dimensions[0] * dimensions[1]
        data = array.array("f", (0.2 * rng.random() - 0.1 for _ in range(count)))
    if name == "output.weight":
        # Of hundreds of tokens some one always scores above 0, so these are never said: bytes that are
        # no text hold up a stream, and an answer is to end where its caller or its grammar says.
        unsaid = dimensions[0] * UNSAID
        data[:unsaid] = array.array("f", bytes(4 * unsaid))
    if sys.byteorder == "big":
        data.byteswap()
    return data.tobytes()


def padded(data):
    return data + bytes(-len(data) % ALIGNMENT)


def model(options):
    """The bytes of the file."""
    tokens = vocabulary()
    keys = metadata(options, tokens)
    rng = random.Random(options.seed)
    infos, data = [], []
    offset = 0
    for name, dimensions in tensors(options, tokens):
        info = text(name) + struct.pack("<I", len(dimensions))
        info += struct.pack(f"<{len(dimensions)}Q", *dimensions)
        infos.append(info + struct.pack("<IQ", TENSOR_F32, offset))
        data.append(padded(weights(name, dimensions, rng)))
        offset += len(data[-1])
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(keys))
    head += b"".join(text(key) + struct.pack("<I", kind) + value for key, (kind, value) in keys.items())
    return padded(head + b"".join(infos)) + b"".join(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="where it is written")
    parser.add_argument("--seed", type=int, default=7, help="of the weights (default 7)")
    parser.add_argument("--layers", type=int, default=2, help="default 2")
    parser.add_argument("--width", type=int, default=64, help="of a token's vector, a multiple of 8 (default 64)")
    parser.add_argument("--context", type=int, default=32768, help="longest that it claims, in tokens (default 32768)")
    options = parser.parse_args()
    if options.width < 8 or options.width % 8 or options.layers < 1:
        parser.error("want a width that is a multiple of 8, and at least one layer")
    with open(options.file, "wb") as file:
        file.write(model(options))


if __name__ == "__main__":
    main()
