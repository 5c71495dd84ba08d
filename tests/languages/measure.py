"""What the two measures of languages share: Argosy over a folder, what counts as right, and a peer of fifty lines."""

import collections
import concurrent.futures
import importlib.util
import json
import math
import pathlib
import re
import shutil
import sys
import time
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
ARGOSY = HERE.parents[1] / "target/debug/argosy"
RANKS = 3
# Scripts that set no blanks between words, or too few of them: what they write is compared by pairs of letters.
PAIRED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def door_class():
    """The Argosy that the measure of formats starts over its corpus."""
    spec = importlib.util.spec_from_file_location("formats", HERE.parent / "formats/facts.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["formats"] = module
    spec.loader.exec_module(module)
    return module.Door


def fold(text):
    """Without what makes a text look different and not mean anything else."""
    text = re.sub(r"\*\*|\\(?=[-_*#|])|[\u00ad\u200b]", "", unicodedata.normalize("NFKC", text))
    return re.sub(r"\s+", " ", text).strip().casefold()


def holds(text, values):
    """Whether one of the values stands in the text; no number stands inside of a longer one."""
    text = fold(text)
    return any(re.search(rf"(?<!\d){re.escape(one)}(?!\d)", text) for one in map(fold, values))


def write(folder, documents):
    """A folder with the documents, a text by file name, and no index."""
    for one in (folder / "corpus", folder / "data"):
        shutil.rmtree(one, ignore_errors=True)
    (folder / "data").mkdir(parents=True)
    for name, text in documents.items():
        path = folder / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def ask(door, question):
    """What is right about the result. `doc` and `values` of a question say what is."""
    passages = door.post("/api/search", {"query": question["question"], "top_k": RANKS})["passages"][:RANKS]
    event = door.post("/api/turns", {"question": question["question"]})
    answer, citations = event.get("answer") or "", event.get("citations") or []
    result = {"nothing": not citations, "answer": answer, "sources": [one["source"] for one in passages]}
    if question.get("doc"):
        of = [one for one in passages if one["source"] == question["doc"]]
        result["found"] = any(holds(one["text"], question["values"]) for one in of)
        result["document"] = bool(of)
        result["answered"] = bool(citations) and holds(answer, question["values"])
        result["cited"] = any(one.get("source") == question["doc"] for one in citations)
    return result


def ask_all(argosy, folder, documents, questions):
    """The results of all questions over one folder."""
    write(folder, documents)
    began = time.monotonic()
    door = door_class()(argosy.resolve(), folder)
    try:
        indexed = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda question: ask(door, question), questions))
    finally:
        door.close()
    took = time.monotonic() - indexed
    print(f"{len(documents)} documents in {indexed - began:.0f} s, {len(questions)} questions in {took:.0f} s", file=sys.stderr)
    peer = Peer(documents)
    for question, result in zip(questions, results):
        result.update(peer.ask(question))
    return results


def tokens(text):
    """Lower-case words; pairs of letters where no blanks stand."""
    text = unicodedata.normalize("NFKC", text).casefold()
    words = re.findall(r"\w+", PAIRED.sub(" ", text))
    for run in PAIRED.findall(text):
        words += [run[at:at + 2] for at in range(max(len(run) - 1, 1))]
    return words


class Peer:
    """BM25 over whole documents, and the sentence of the best three that shares the rarest words with the question."""

    def __init__(self, documents):
        self.documents = documents
        self.counts = {name: collections.Counter(tokens(text)) for name, text in documents.items()}
        self.length = sum(map(len, documents.values())) / len(documents)
        self.frequency = collections.Counter(word for count in self.counts.values() for word in count)

    def weight(self, word):
        held = self.frequency[word]
        return math.log(1 + (len(self.documents) - held + 0.5) / (held + 0.5))

    def score(self, words, name):
        count, share = self.counts[name], len(self.documents[name]) / self.length
        parts = (self.weight(word) * count[word] * 2.2 / (count[word] + 1.2 * (0.25 + 0.75 * share)) for word in words)
        return sum(parts)

    def ask(self, question):
        words = set(tokens(question["question"]))
        best = sorted(self.documents, key=lambda name: -self.score(words, name))[:RANKS]
        if not question.get("doc"):
            return {}
        sentences = [one for name in best for one in re.split(r"(?<=[.!?。！？؟])\s*(?!\d)|\n+", self.documents[name]) if one]
        answer = max(sentences, key=lambda one: sum(map(self.weight, words.intersection(tokens(one)))))
        return {"peer found": question["doc"] in best, "peer answered": holds(answer, question["values"])}


def share(results, what):
    seen = [result[what] for result in results if what in result]
    return f"{sum(seen)}/{len(seen)} {sum(seen) / len(seen):.2f}" if seen else "-"


def table(columns, rows):
    """Shares by row, and of all rows together. A row is a name and the results that belong to it."""
    print(f"{'':22}" + "".join(f"{what:>15}" for what in columns))
    everything = [result for _, results in rows for result in results]
    for name, results in [*rows, ("all", everything)]:
        print(f"{name:22}" + "".join(f"{share(results, what):>15}" for what in columns))


def save(path, questions, results):
    """Each question with what came of it, for a look at what went wrong."""
    if path:
        rows = [{**question, **result} for question, result in zip(questions, results)]
        path.write_text(json.dumps(rows, ensure_ascii=False, indent=1))
