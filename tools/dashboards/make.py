#!/usr/bin/env python3
"""Makes the dashboards that Helm and Grafana read, in charts/argosy/files/dashboards, from the YAML beside this file.

    make.py           writes them
    make.py --check   says which of them are not what would be written, and ends with 1 then

What the YAML says of a panel is what somebody has to decide: title, kind, width, unit, thresholds, note, queries. What
follows from that is added here: ids, places, the data source, links to runbooks, and the namespace in every selector.
"""

import json
import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "charts/argosy/files/dashboards")
# The same placeholder as in the rules: the chart puts the address of the runbooks in its place.
RUNBOOKS = "https://example.invalid/runbooks/"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
NAMESPACE = 'namespace=~"$namespace"'
# A step of a minute makes $__rate_interval four minutes or more: rates do not fall apart where questions are few.
STEP = "1m"
TYPES = {"number": "stat", "table": "table"}


def with_namespace(expr):
    """Adds the matcher of the namespace to every metric. Recorded series have no namespace, and alerts often none."""
    def matcher(match):
        labels = [NAMESPACE] + ([match["labels"]] if match["labels"] else [])
        return f"{match['name']}{{{', '.join(labels)}}}"

    return re.sub(r"(?<![\w:])(?P<name>(?:argosy|process)_\w+)(?:\{(?P<labels>[^}]*)\})?", matcher, expr.strip())


def note(panel):
    """What the panel means, with links to the runbooks of its alerts."""
    links = ", ".join(f"[{name}]({RUNBOOKS}{name.lower()}.md)" for name in panel.get("runbooks", []))
    return panel["note"].strip() + (f" Runbooks: {links}." if links else "")


def levels(panel):
    """Thresholds: each colour from its value on, the first one from below everything."""
    pairs = panel.get("levels", {"text": None})
    return {"mode": "absolute", "steps": [{"color": color, "value": value} for color, value in pairs.items()]}


def target(panel, index, query):
    out = {
        "refId": chr(ord("A") + index),
        "datasource": SOURCE,
        "expr": with_namespace(query["expr"]),
        "legendFormat": query.get("show", ""),
    }
    if panel["kind"] in TYPES:
        return out | {"instant": True, "range": False, "format": "table" if panel["kind"] == "table" else "time_series"}
    return out | {"instant": False, "range": True, "interval": STEP}


def drawing(panel):
    """How lines, stacks and bars are drawn."""
    kind = panel["kind"]
    return {
        "drawStyle": "bars" if kind == "bars" else "line",
        "lineWidth": 1,
        "fillOpacity": {"lines": 0, "stack": 30, "bars": 60}[kind],
        "showPoints": "never",
        "spanNulls": False,
        "stacking": {"mode": "none" if kind == "lines" else "normal", "group": "A"},
        "thresholdsStyle": {"mode": "dashed" if "levels" in panel else "off"},
    }


def columns(panel):
    """Names and units of a table's columns. Grafana calls the value of query A `Value #A` once tables are merged, and
    `Value` where there is one query."""
    one = len(panel["queries"]) == 1
    overrides = []
    for index, query in enumerate(panel["queries"]):
        name = "Value" if one else f"Value #{chr(ord('A') + index)}"
        properties = [{"id": "displayName", "value": query["column"]}]
        for key, id in (("unit", "unit"), ("decimals", "decimals")):
            if key in query:
                properties.append({"id": id, "value": query[key]})
        if "levels" in query:
            properties.append({"id": "thresholds", "value": levels(query)})
            properties.append({"id": "custom.cellOptions", "value": {"type": "color-text"}})
        overrides.append({"matcher": {"id": "byName", "options": name}, "properties": properties})
    return overrides


def panel_of(panel, id, place):
    kind = panel["kind"]
    defaults = {"unit": panel.get("unit", "short"), "thresholds": levels(panel)}
    out = {
        "id": id,
        "type": TYPES.get(kind, "timeseries"),
        "title": panel["title"],
        "description": note(panel),
        "gridPos": place,
        "datasource": SOURCE,
        "targets": [target(panel, index, query) for index, query in enumerate(panel["queries"])],
        "fieldConfig": {"defaults": defaults, "overrides": []},
    }
    for key in ("min", "max", "decimals"):
        if key in panel:
            defaults[key] = panel[key]
    if kind == "number":
        defaults["color"] = {"mode": "thresholds"}
        out["options"] = {"reduceOptions": {"calcs": ["lastNotNull"]}, "colorMode": "value", "graphMode": "none"}
    elif kind == "table":
        out["fieldConfig"]["overrides"] = columns(panel)
        hidden = {name: True for name in ["Time", *panel.get("hide", [])]}
        order = {name: index for index, name in enumerate(panel["labels"])}
        out["transformations"] = [
            {"id": "merge", "options": {}},
            {"id": "organize", "options": {"excludeByName": hidden, "indexByName": order}},
        ]
        out["options"] = {"showHeader": True, "sortBy": [{"displayName": panel["labels"][0], "desc": False}]}
    else:
        defaults["color"] = {"mode": "palette-classic-by-name"}
        defaults.setdefault("min", 0)
        defaults["custom"] = drawing(panel)
        out["options"] = {
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
            "tooltip": {"mode": "multi", "sort": "desc"},
        }
    return out


def panels_of(rows):
    """All panels with ids and places: from left to right, the next line where the width of 24 is used up."""
    out, y = [], 0

    def add(panel):
        out.append(panel | {"id": len(out) + 1})

    for row in rows:
        add({"type": "row", "title": row["title"], "collapsed": False, "panels": [],
             "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}})
        y, x, height = y + 1, 0, 0
        for panel in row["panels"]:
            if x + panel["width"] > 24:
                x, y = 0, y + height
            height = panel.get("height", 8)
            add(panel_of(panel, 0, {"x": x, "y": y, "w": panel["width"], "h": height}))
            x += panel["width"]
        y += height
    return out


def variables_of(names):
    """The data source, then what can be chosen of a label; `.*` for all matches series without the label, too."""
    source = {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}
    out = [source]
    for name, query in names.items():
        query = with_namespace(query) if name != "namespace" else query
        out.append({
            "name": name,
            "label": name.capitalize(),
            "type": "query",
            "datasource": SOURCE,
            "definition": query,
            "query": {"query": query, "refId": "variable"},
            "regex": "",
            "refresh": 2,
            "sort": 1,
            "multi": True,
            "includeAll": True,
            "allValue": ".*",
            "current": {"text": ["All"], "value": ["$__all"]},
        })
    return out


def dashboard(source):
    link = {"type": "dashboards", "title": "Argosy", "tags": ["argosy"], "asDropdown": False, "keepTime": True,
            "includeVars": True, "targetBlank": False, "icon": "external link", "url": "", "tooltip": ""}
    return {
        "uid": source["uid"],
        "title": source["title"],
        "description": source["note"].strip(),
        "tags": ["argosy"],
        "schemaVersion": 41,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "links": [link],
        "annotations": {"list": []},
        "templating": {"list": variables_of(source["variables"])},
        "panels": panels_of(source["rows"]),
    }


def main():
    stale = 0
    for name in sorted(name for name in os.listdir(HERE) if name.endswith(".yaml")):
        with open(os.path.join(HERE, name)) as file:
            source = yaml.safe_load(file)
        path = os.path.join(OUT, f"{source['uid']}.json")
        text = json.dumps(dashboard(source), indent=2, ensure_ascii=False) + "\n"
        if sys.argv[1:] != ["--check"]:
            with open(path, "w") as file:
                file.write(text)
            continue
        if not os.path.exists(path) or open(path).read() != text:
            print(f"{path} is not what tools/dashboards/{name} makes: run tools/dashboards/make.py")
            stale += 1
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
