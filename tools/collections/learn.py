#!/usr/bin/env python3
"""Learns the weights by which documents are ranked (shared/corpus/index/src/document_rank.rs).

It reads the details of `argosy eval collections --details FILE`: for each question the evidence of each document, as
sums, and which document is right. The weights make the right documents as likely as they can be (softmax, maximum
likelihood, a little pull towards 0), by gradient steps with a step size of their own for each weight. No weight is below
0: evidence never speaks against a document.

Usage: learn.py DETAILS.jsonl [...] [--collections NAME,NAME] [--steps N]
"""
import argparse
import json
import math

NAMES = ["path", "title", "front", "best passage", "best three"]
PULL = 0.001


def examples(paths, wanted):
    """The documents of each question, with the right one first, and how much each question counts."""
    by_collection = {}
    for path in paths:
        for line in open(path, encoding="utf-8"):
            row = json.loads(line)
            documents = row.get("evidence", [])
            if wanted and row["collection"] not in wanted:
                continue
            right = [sums for sums, is_right in documents if is_right]
            if right:
                others = [sums for sums, is_right in documents if not is_right]
                by_collection.setdefault(row["collection"], []).append([right[0]] + others)
    # Each collection counts as much as any other.
    return [
        (question, 1 / len(questions) / len(by_collection))
        for questions in by_collection.values()
        for question in questions
    ], {name: len(questions) for name, questions in by_collection.items()}


def loss_and_slope(weights, questions):
    loss = PULL * sum(w * w for w in weights)
    slope = [2 * PULL * w for w in weights]
    for documents, share in questions:
        sums = [sum(w * x for w, x in zip(weights, document)) for document in documents]
        most = max(sums)
        likely = [math.exp(one - most) for one in sums]
        total = sum(likely)
        loss -= share * (sums[0] - most - math.log(total))
        for n in range(len(weights)):
            mean = sum(p * document[n] for p, document in zip(likely, documents)) / total
            slope[n] -= share * (documents[0][n] - mean)
    return loss, slope


def learn(questions, steps):
    weights = [1.0, 0.3, 0.2, 4.0, 2.0]
    size, before = [0.2] * len(weights), [0.0] * len(weights)
    for step in range(steps):
        loss, slope = loss_and_slope(weights, questions)
        for n, now in enumerate(slope):
            size[n] = min(1.0, size[n] * 1.2) if now * before[n] > 0 else max(1e-4, size[n] * 0.5)
            weights[n] = max(0.0, weights[n] - math.copysign(size[n], now))
        before = slope
        if step % 20 == 0:
            print(f"step {step}: loss {loss:.4f}")
    return weights, loss


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("details", nargs="+")
    parser.add_argument("--collections", default="")
    parser.add_argument("--steps", type=int, default=100)
    arguments = parser.parse_args()
    wanted = {name for name in arguments.collections.split(",") if name}
    questions, counts = examples(arguments.details, wanted)
    print("questions:", ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    weights, loss = learn(questions, arguments.steps)
    print(f"loss {loss:.4f}")
    for name, weight in zip(NAMES, weights):
        print(f"{name:14} {weight:.2f}")


if __name__ == "__main__":
    main()
