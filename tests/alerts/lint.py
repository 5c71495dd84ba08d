#!/usr/bin/env python3
"""Checks what promtool does not: that alerts are complete, that runbooks and tests belong to them, that metrics exist.

    lint.py docs/metrics.md [--argosy PATH]

With `--argosy`, the command lines of the runbooks are given to that binary with `--help` behind them, which refuses an
unknown subcommand or flag and does nothing else. Exit code 1 when anything is wrong; every mistake is named.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys

import yaml
from each_role import all_files

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RULES = os.path.join(ROOT, "charts/argosy/files/rules")
SEVERITIES = {"critical", "warning", "info"}
RUNBOOKS = "https://example.invalid/runbooks/"
SECTIONS = ["Meaning", "Impact", "Diagnosis", "Mitigation", "Silence it when"]
# Labels that Prometheus itself sets, and `le` of buckets.
TARGET = {"instance", "job", "le", "namespace"}


def all_rules():
    """The rules of all groups."""
    rules = []
    for name in sorted(name for name in os.listdir(RULES) if name.endswith(".yaml")):
        with open(os.path.join(RULES, name)) as file:
            rules += [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
    return rules


def all_tests():
    """The tests of all files."""
    return [test for content in all_files().values() for test in content["tests"]]


def documented(path):
    """Each metric of docs/metrics.md with the names of its labels."""
    with open(path) as file:
        rows = re.findall(r"^\| `(argosy_\w+)` \| (counter|gauge|histogram) \|([^|]*)\|", file.read(), re.M)
    metrics = {}
    for name, kind, labels in rows:
        names = set(re.findall(r"`(\w+)`(?=:|;|\s|$)", re.sub(r":[^;]*", "", labels)))
        for suffix in ["_bucket", "_count", "_sum"] if kind == "histogram" else [""]:
            metrics[name + suffix] = names
    return metrics


def selectors(expr):
    """Each metric in an expression with the labels of its matchers."""
    for name, matchers in re.findall(r"(?<![\w:])(argosy_\w+)(?:\{([^}]*)\})?", expr):
        yield name, set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', '""', matchers)))


def commands(text):
    """The command lines of `argosy` in a runbook, without comments."""
    for block in re.findall(r"```\n(.*?)```", text, re.S):
        for line in block.splitlines():
            if line.startswith("argosy "):
                yield line.split(" #")[0].strip()
    for line in re.findall(r"`(argosy [^`]*)`", re.sub(r"```.*?```", "", text, flags=re.S)):
        yield line


def seconds(duration):
    """A duration such as 1h30m, or the number 0."""
    units = {"d": 86400, "h": 3600, "m": 60, "s": 1}
    return sum(int(number) * units[unit] for number, unit in re.findall(r"(\d+)([dhms])", str(duration)))


def resolved(test):
    """The alerts of which a test says that something fires, and later that it does not any more."""
    firing = {}
    for one in test.get("promql_expr_test", []):
        for what in re.findall(r'alertname="(\w+)",alertstate="firing"', one["expr"]):
            labels = {sample["labels"] for sample in one["exp_samples"]}
            firing.setdefault(what, []).append((seconds(one["eval_time"]), labels))
    for one in test.get("alert_rule_test", []):
        if not one.get("exp_alerts"):
            firing.setdefault(one["alertname"], []).append((seconds(one["eval_time"]), set()))
    found = set()
    for what, states in firing.items():
        states.sort(key=lambda state: state[0])
        if any(before - after for (_, before), (_, after) in zip(states, states[1:])):
            found.add(what)
    return found


def check(metrics_path, argosy):
    wrong = []
    metrics = documented(metrics_path)
    if len(metrics) < 50:
        wrong.append(f"{metrics_path}: only {len(metrics)} metrics found; has its form changed?")
    rules = all_rules()

    alerts = {}
    for rule in rules:
        what = rule.get("alert") or rule["record"]
        for name, labels in selectors(rule["expr"]):
            known = metrics.get(name)
            if known is None:
                wrong.append(f"{what}: there is no metric `{name}`")
            elif labels - known - TARGET:
                wrong.append(f"{what}: `{name}` has no label {', '.join(sorted(labels - known - TARGET))}")
        if "record" in rule:
            continue
        if what in alerts:
            wrong.append(f"{what}: stands twice")
        alerts[what] = rule
        notes = rule.get("annotations", {})
        if not re.fullmatch(r"Argosy[A-Z]\w+", what):
            wrong.append(f"{what}: the name does not begin with Argosy")
        if rule.get("labels", {}).get("severity") not in SEVERITIES:
            wrong.append(f"{what}: severity is not one of {', '.join(sorted(SEVERITIES))}")
        if "for" not in rule:
            wrong.append(f"{what}: no `for`; 0m is one")
        for key in ("summary", "description"):
            if not notes.get(key, "").rstrip().endswith("."):
                wrong.append(f"{what}: {key} is missing or no sentence")
        if notes.get("runbook_url") != f"{RUNBOOKS}{what.lower()}.md":
            wrong.append(f"{what}: runbook_url is not {RUNBOOKS}{what.lower()}.md")

    folder = os.path.join(ROOT, "docs/runbooks")
    files = set(os.listdir(folder))
    for what in alerts:
        if f"{what.lower()}.md" not in files:
            wrong.append(f"{what}: no runbook")
    for left in sorted(files - {f"{what.lower()}.md" for what in alerts}):
        wrong.append(f"runbooks/{left}: no alert of this name")
    lines = 0
    for name in sorted(files):
        with open(os.path.join(folder, name)) as file:
            text = file.read()
        title = text.split("\n", 1)[0].removeprefix("# ")
        if title not in alerts or f"{title.lower()}.md" != name:
            wrong.append(f"runbooks/{name}: the title is not its alert")
        if re.findall(r"^## (.*)$", text, re.M) != SECTIONS:
            wrong.append(f"runbooks/{name}: sections are not {', '.join(SECTIONS)}")
        for word in re.findall(r"\bArgosy[A-Z]\w+", text):
            if word not in alerts:
                wrong.append(f"runbooks/{name}: names {word}, which is no alert")
        for word in re.findall(r"\bargosy_\w+[a-z]\b(?!\*)", text):
            base = {word, word + "_count"} & set(metrics)
            if not base:
                wrong.append(f"runbooks/{name}: names {word}, which is no metric")
        for line in commands(text):
            lines += 1
            if argosy and "…" not in line:
                stands_for = {"NUMBER": "1", "N": "1", "ROLE": "mapper", "NAME": "name"}
                words = [stands_for.get(word, word) for word in shlex.split(line)[1:]]
                run = subprocess.run([argosy, *words, "--help"], capture_output=True, text=True)
                if run.returncode != 0:
                    wrong.append(f"runbooks/{name}: `{line}`: {run.stderr.strip().splitlines()[0]}")

    silent, fires, resolves = set(), set(), set()
    for test in all_tests():
        resolves |= resolved(test)
        for one in test.get("alert_rule_test", []):
            silent.add(one["alertname"])
        for one in test.get("promql_expr_test", []):
            fires.update(re.findall(r'alertname="(\w+)"', one["expr"]) if one["exp_samples"] else [])
    for what in sorted((silent | fires) - set(alerts)):
        # promtool takes an alert that does not exist for one that is silent.
        wrong.append(f"tests: {what} is no alert")
    for what in sorted(set(alerts) - fires):
        wrong.append(f"tests: {what} never fires")
    for what in sorted(set(alerts) - silent):
        wrong.append(f"tests: {what} is never silent")
    for what in sorted(set(alerts) - resolves):
        wrong.append(f"tests: {what} never resolves")
    return wrong, len(alerts), len(rules) - len(alerts), lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("metrics", help="docs/metrics.md")
    parser.add_argument("--argosy", help="binary that the command lines of the runbooks are tried with")
    args = parser.parse_args()
    wrong, alerts, records, lines = check(args.metrics, args.argosy)
    for line in wrong:
        print(line)
    print(f"{alerts} alerts, {records} recording rules, {lines} command lines: {len(wrong)} mistakes")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
