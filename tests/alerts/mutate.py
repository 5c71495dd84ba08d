#!/usr/bin/env python3
"""Changes one thing of one alert at a time and says which changes no test notices.

A test that passes whatever the rule says proves nothing. Each mutant is an alert with another threshold, `for`, severity,
aggregation, range or label matcher, or with one condition less; it is run against the tests that name this alert, together
with the recording rules it reads. Exit code 1 when a mutant survives that is not in KNOWN.

    mutate.py --promtool promtool [ALERT ...]
"""

import argparse
import copy
import os
import re
import subprocess
import sys
import tempfile

import yaml
from lint import all_rules, all_tests

# Survivors that are known: patterns of alert and change, with the reason.
KNOWN = [
    ("ModelNode|SearchModel|ChunksWithout|ErasureUnfinished|NoReady|NatsDisconnected|RoomShort", r"^max -> sum", "sums and largest values of 0 and 1 are 0 together"),
    ("ModelNode|SearchModel", r"^sum -> max", "a rate is above 0 where the largest is"),
    ("DeadLetters|DrainAbandoning|DocumentsGivenUp|PublishFailing|WebhooksGivenUp", r"^sum -> max", "an increase is above 0 where the largest is"),
    ("IndexingStalled|RoleStalled", r"sum -> max", "a rate is above 0 where the largest is"),
    ("DeadLetters|Redelivery|BacklogGrowing|PublishFailing|IndexingStalled", r"(role|reason)!?=\S+ -> \w+=~", "the other side of the operator has the matcher"),
    ("LatencyTargetMissed", r'complexity="\w+" -> ', "the other side of the division has the matcher"),
    ("RoomShort", r'role="gateway"', "only gateways have this condition"),
    ("ConsumerMissing", r"^0 -> -1", "a count is never 0"),
    ("IndexingStalled|RoleStalled", r"^0 -> -1", "a backlog of 0 has no progress that would be missed"),
    ("DataFolderFilling", r"^0 -> ", "one byte"),
    ("DataFolderFilling", r"\[6h\]", "a day of samples would show it, and costs too much"),
    ("ErrorBudgetBurnSlow|LatencyTargetMissed", r"\[6h\]", "a day of samples would show it, and costs too much"),
    ("Rebuilt|Unstable|Restarting", r"^[23] -> [23]\.\d", "counts are whole numbers"),
    ("ProcessRestarting", r"^max -> ", "there is one series for each process"),
]


def words_in(expr):
    return set(re.findall(r"[\w:]+", expr))


def tests_of(rule, recordings, tests):
    """The tests that name the alert or a recording rule that it reads, without their lines about others."""
    alert = rule["alert"]
    names = {alert} | {recording["record"] for recording in recordings}
    kept = []
    for test in tests:
        test = copy.deepcopy(test)
        silent = [t for t in test.get("alert_rule_test", []) if t["alertname"] == alert]
        fires = [t for t in test.get("promql_expr_test", []) if words_in(t["expr"]) & names]
        if silent or fires:
            test["alert_rule_test"], test["promql_expr_test"] = silent, fires
            kept.append(test)
    return kept


def recordings_of(expr, rules):
    """The recording rules that an expression reads."""
    return [rule for rule in rules if "record" in rule and rule["record"] in expr]


def scaled(text, factor):
    value = float(text) * factor
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smhd])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


def expressions(expr):
    """Each expression with one change, with a word for the change."""
    for match in re.finditer(r"(?:>=|<=|==|!=|>|<)\s*((?:[\d.]+\s*\*\s*)?)([\d.]+)(?!\s*\*\s*argosy)", expr):
        number = match.group(2)
        for factor in (0.75, 1.3):
            other = scaled(number, factor) if float(number) else ("1" if factor > 1 else "-1")
            yield f"{number} -> {other} at {match.start()}", expr[: match.start(2)] + other + expr[match.end(2) :]
    for match in re.finditer(r"\*\s*(\d[\d.]*)|([\d.]+) \* argosy", expr):
        group = 1 if match.group(1) else 2
        other = scaled(match.group(group), 1.3)
        yield f"factor {match.group(group)} -> {other}", expr[: match.start(group)] + other + expr[match.end(group) :]
    lines = expr.rstrip("\n").split("\n")
    for at, line in enumerate(lines):
        if len(lines) > 1 and re.match(r"\s*(and|or|unless)\b", line):
            yield f"without `{line.strip()[:50]}`", "\n".join(lines[:at] + lines[at + 1 :])
    for match in re.finditer(r"\b(max|min|sum)\b", expr):
        for other in ("max", "min", "sum"):
            if other != match.group(1):
                yield f"{match.group(1)} -> {other} at {match.start()}", expr[: match.start()] + other + expr[match.end() :]
    for match in re.finditer(r"\[(\d+)([mh])\]", expr):
        other = f"[{int(match.group(1)) * 3}{match.group(2)}]"
        yield f"{match.group(0)} -> {other} at {match.start()}", expr[: match.start()] + other + expr[match.end() :]
    for match in re.finditer(r'(\w+)(=~|!~|!=|=)"([^"]*)"', expr):
        label, operator, values = match.groups()
        begin, end = match.span()
        for word in values.split("|") if operator in ("=~", "!~") and "*" not in values else [None]:
            if word is None:
                other = f'{label}=~".*"'
            else:
                rest = "|".join(value for value in values.split("|") if value != word)
                other = f'{label}{operator}"{rest}"'
            yield f"{match.group(0)} -> {other}", expr[:begin] + other + expr[end:]


def mutants(rule, recordings):
    """Each mutant as a word for the change and all rules it is run with."""
    plain = [copy.deepcopy(r) for r in recordings]
    span = seconds(rule["for"])
    for other in {max(60, span // 2), span + 60, span - 60} - {span}:
        if other >= 0:
            yield f"for {rule['for']} -> {other}s", plain + [dict(rule, **{"for": f"{other}s"})]
    yield "severity", plain + [dict(rule, labels={"severity": "other"})]
    for change, expr in expressions(rule["expr"]):
        yield change, plain + [dict(rule, expr=expr)]
    for at, recording in enumerate(recordings):
        for change, expr in expressions(recording["expr"]):
            changed = copy.deepcopy(plain)
            changed[at]["expr"] = expr
            yield f"{recording['record']}: {change}", changed + [rule]


def passes(promtool, rules, tests, folder):
    with open(os.path.join(folder, "rules.yaml"), "w") as file:
        yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}, file)
    with open(os.path.join(folder, "tests.yaml"), "w") as file:
        yaml.safe_dump({"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}, file)
    run = subprocess.run([promtool, "test", "rules", "tests.yaml"], cwd=folder, capture_output=True, text=True)
    return run.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--promtool", default="promtool")
    parser.add_argument("alerts", nargs="*")
    args = parser.parse_args()
    rules, tests = all_rules(), all_tests()
    survivors, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for rule in rules:
            if "alert" not in rule or (args.alerts and rule["alert"] not in args.alerts):
                continue
            recordings = recordings_of(rule["expr"], rules)
            own = tests_of(rule, recordings, tests)
            if not passes(args.promtool, recordings + [rule], own, folder):
                sys.exit(f"{rule['alert']}: the tests fail without any change")
            for change, changed in mutants(rule, recordings):
                count += 1
                if passes(args.promtool, changed, own, folder):
                    survivors.append((rule["alert"], change))
                    print(f"survived: {rule['alert']}: {change}", flush=True)
    known = lambda alert, change: any(re.search(a, alert) and re.search(c, change) for a, c, _ in KNOWN)
    new = [s for s in survivors if not known(*s)]
    print(f"{count} mutants, {len(survivors)} survived, {len(new)} of them unexpectedly")
    sys.exit(1 if new else 0)


if __name__ == "__main__":
    main()
