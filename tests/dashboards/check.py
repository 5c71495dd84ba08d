#!/usr/bin/env python3
"""Checks the dashboards' JSON: layout, notes, links, units, thresholds, and that every metric, label and value exists.

    check.py docs/metrics.md RULES.yaml

Every query is written as a recording rule, named `argosy_fleet:the_title_of_its_panel:A`, into RULES.yaml, for promtool
to check and to test. Exit code 1 when anything is wrong; every mistake is named.
"""

import itertools
import math
import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests/alerts"), os.path.join(ROOT, "tools/dashboards")]
import lint  # noqa: E402
import queries  # noqa: E402

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
UNITS = {"short", "s", "bytes", "percentunit", "reqps"}
SCHEMA_OF_GRAFANA_12_1 = 41
# Series that Prometheus makes, and those that the client library adds on Linux, with their labels.
OTHERS = {
    "ALERTS": {"alertname", "alertstate", "severity", "role"},
    "process_cpu_seconds_total": set(),
    "process_resident_memory_bytes": set(),
    "process_start_time_seconds": set(),
}
GROUPING = r"\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)"
WORDS = {"and", "or", "unless", "offset", "bool", "by", "without", "on", "ignoring", "group_left", "group_right"}


def grouping_labels(expr):
    """The labels that an expression groups or joins by."""
    return {label for _, labels in re.findall(GROUPING, expr) for label in re.findall(r"\w+", labels)}


def known_metrics(path):
    """Each metric that may be asked for, with its labels."""
    known = lint.documented(path) | OTHERS
    for rule in lint.all_rules():
        if "record" in rule:
            known.setdefault(rule["record"], set()).update(rule.get("labels", {}), grouping_labels(rule["expr"]))
    return known


def known_values(path):
    """The values that docs/metrics.md lists for a label of a metric."""
    with open(path) as file:
        rows = re.findall(r"^\| `(argosy_\w+)` \| (?:counter|gauge|histogram) \|([^|]*)\|", file.read(), re.M)
    values = {}
    for name, labels in rows:
        for label, listed in re.findall(r"`(\w+)`: ([^;]*)", labels):
            values[name, label] = set(re.findall(r"`(\w+)`", listed))
    return values


def names_in(expr):
    """The words of an expression that have to be metrics: no functions, labels, strings, durations or operators."""
    bare = re.sub(r'"[^"]*"', "", expr)
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", bare)
    bare = re.sub(GROUPING, " ", bare)
    return {word for word in re.findall(r"(?<![\w.:])[A-Za-z_:][\w:]*(?!\s*\()(?![\w:])", bare)} - WORDS


def matchers_in(expr):
    """Metric, label and value of each matcher."""
    for name, inside in re.findall(r"(?<![\w:])([A-Za-z_:][\w:]*)\{([^}]*)\}", expr):
        for label, _, value in re.findall(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"', inside):
            yield name, label, value


def check_query(expr, legend, metrics, values):
    """Mistakes of one query, before its variables are filled in."""
    names = names_in(expr)
    for name in sorted(names - set(metrics)):
        yield f"there is no metric `{name}`"
    labels = lint.TARGET.union(*(metrics[name] for name in names & set(metrics)))
    for name, label, value in matchers_in(expr):
        if name in metrics and label not in metrics[name] | lint.TARGET:
            yield f"`{name}` has no label {label}"
        listed = values.get((re.sub(r"_(bucket|sum|count)$", "", name), label), values.get((name, label)))
        for word in value.split("|") if listed else []:
            if re.fullmatch(r"\w+", word) and word not in listed:
                yield f"{label} of `{name}` is never {word}"
    for name in names:
        if re.match("argosy_|process_", name):
            bare = re.findall(rf"(?<![\w:]){name}(?!\w)(?!\{{[^}}]*namespace=~\"\$namespace\")", expr)
            if bare:
                yield f"`{name}` stands without the namespace"
    grouped = grouping_labels(expr)
    for label in sorted(grouped - labels):
        yield f"groups by {label}, which none of its metrics has"
    for label in re.findall(r"\{\{(\w+)\}\}", legend):
        if label not in (grouped or labels):
            yield f"the legend names {label}, which the result does not have"


def check_layout(panels):
    """Ids that stand twice, panels beside the grid or over one another."""
    ids = [panel["id"] for panel in panels]
    for id in sorted({id for id in ids if ids.count(id) > 1}):
        yield f"the id {id} stands twice"
    for panel in panels:
        place = panel["gridPos"]
        if place["x"] < 0 or place["x"] + place["w"] > 24 or place["w"] < 1 or place["h"] < 1:
            yield f"{panel['title']}: lies beside the grid of 24 columns"
    for one, other in itertools.combinations(panels, 2):
        a, b = one["gridPos"], other["gridPos"]
        apart = (a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
                 or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"])
        if not apart:
            yield f"{one['title']} and {other['title']} overlap"


def numbers_in(expr):
    """The numbers of an alert, products among them."""
    numbers = {float(number) for number in re.findall(r"(?<![\w.\[])\d+(?:\.\d+)?(?![\w.])", expr)}
    for one, other in re.findall(r"(\d+(?:\.\d+)?) \* (\d+(?:\.\d+)?)", expr):
        numbers.add(float(one) * float(other))
    return numbers


def check_panel(panel, alerts):
    """Mistakes of a panel outside of its queries."""
    text = panel.get("description", "")
    told = text.split(" Runbooks: ")[0]
    if not told.endswith(".") or len(told) < 30:
        yield "no description, or one that is no sentence"
    linked = []
    for name, url in re.findall(r"\[(\w+)\]\(([^)]*)\)", text):
        if name not in alerts or url != f"{lint.RUNBOOKS}{name.lower()}.md":
            yield f"links to {name}, which is no alert, or by a wrong address"
        elif not os.path.exists(os.path.join(ROOT, "docs/runbooks", f"{name.lower()}.md")):
            yield f"links to the runbook of {name}, which does not exist"
        else:
            linked.append(name)
    units = [panel["fieldConfig"]["defaults"].get("unit")]
    for override in panel["fieldConfig"]["overrides"]:
        units += [change["value"] for change in override["properties"] if change["id"] == "unit"]
    if set(units) - UNITS:
        yield f"the units {sorted(map(str, set(units) - UNITS))} are none of {', '.join(sorted(UNITS))}"
    for source in [panel, *panel["targets"]]:
        if source.get("datasource") != SOURCE:
            yield "does not use the variable of the data source"
    # A line in a graph says where an alert begins. 1 is a count that should be 0, or a target.
    meant = set().union({1.0}, *(numbers_in(alerts[name]["expr"]) for name in linked))
    for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"] if panel["type"] == "timeseries" else []:
        if step["value"] is not None and not any(math.isclose(step["value"], number) for number in meant):
            yield f"the threshold {step['value']} is none of the alerts that it links to"


def check_variables(dashboard, metrics):
    """Variables that nobody defines or nobody uses."""
    defined = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
    asked = [target["expr"] for panel in queries.panels(dashboard) for target in panel["targets"]]
    used = {name for expr in asked for name in re.findall(r"\$(\w+)", expr)} - {"__rate_interval", "__range"}
    for name in sorted(used - set(defined)):
        yield f"${name} is not defined"
    for name in sorted(set(defined) - used - {"datasource"}):
        yield f"${name} is not used"
    if defined.get("datasource", {}).get("query") != "prometheus":
        yield "there is no variable for the data source"
    for name, variable in defined.items():
        if variable["type"] != "query":
            continue
        metric, label = re.fullmatch(r"label_values\((\w+)(?:\{.*\})?, (\w+)\)", variable["definition"]).groups()
        if metric not in metrics or label not in metrics[metric] | lint.TARGET:
            yield f"${name} asks for {label} of {metric}, which does not exist"
        if variable["datasource"] != SOURCE or variable["allValue"] != ".*":
            yield f"${name} has another data source, or another word for all"


def check_compose():
    """Whether Grafana in compose.yaml finds the dashboards where its provisioning looks for them."""
    def loaded(path):
        with open(os.path.join(ROOT, "deploy", path)) as file:
            return yaml.safe_load(file)

    provider = loaded("grafana/provisioning/dashboards/argosy.yaml")["providers"][0]
    mount = f"../charts/argosy/files/dashboards:{provider['options']['path']}:ro"
    if mount not in loaded("compose.yaml")["services"]["grafana"]["volumes"]:
        yield f"deploy/compose.yaml: grafana does not mount {mount}"


def check(metrics_path):
    """All mistakes, and the queries as recording rules."""
    metrics, values = known_metrics(metrics_path), known_values(metrics_path)
    alerts = {rule["alert"]: rule for rule in lint.all_rules() if "alert" in rule}
    wrong, rules = list(check_compose()), []
    loaded = queries.dashboards()
    if len(loaded) < 2:
        wrong.append(f"only {len(loaded)} dashboards found in {queries.FOLDER}")
    for uid, dashboard in loaded.items():
        def note(mistakes, where=""):
            wrong.extend(f"{uid}: {where}{mistake}" for mistake in mistakes)

        if dashboard["uid"] != uid or dashboard["schemaVersion"] != SCHEMA_OF_GRAFANA_12_1:
            note(["its uid is not the name of its file, or its schema is not that of Grafana 12.1"])
        note(check_layout(dashboard["panels"]))
        note(check_variables(dashboard, metrics))
        for panel in queries.panels(dashboard):
            where = f"{panel['title']}: "
            note(check_panel(panel, alerts), where)
            for target in panel["targets"]:
                note(check_query(target["expr"], target["legendFormat"], metrics, values), where)
                # A step of a minute and a range of an hour, which the tests beside this file know.
                expr = queries.filled(target["expr"], interval=60, scrape=60, span=3600)
                note([f"${name} is not filled in" for name in re.findall(r"\$(\w+)", expr)], where)
                record = f"{uid.replace('-', '_')}:{queries.slug(panel)}:{target['refId']}"
                rules.append({"record": record, "expr": expr})
    names = [rule["record"] for rule in rules]
    twice = sorted({name for name in names if names.count(name) > 1})
    wrong += [f"{name} stands twice: titles have to differ" for name in twice]
    return wrong, rules


def main():
    metrics_path, rules_path = sys.argv[1:]
    wrong, rules = check(metrics_path)
    with open(rules_path, "w") as file:
        yaml.safe_dump({"groups": [{"name": "dashboards", "rules": rules}]}, file)
    for line in wrong:
        print(line)
    print(f"{len(queries.dashboards())} dashboards, {len(rules)} queries: {len(wrong)} mistakes")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
