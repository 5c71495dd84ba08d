#!/usr/bin/env python3
"""Draws a dashboard as an SVG, from its JSON and what a Prometheus says, so that the documentation can show it.

    picture.py DASHBOARD PROMETHEUS OUT.svg [--minutes 60]
    picture.py argosy-fleet http://127.0.0.1:9090 docs/img/argosy-fleet.svg

The layout, the queries, the units and the thresholds are those of the JSON. The rest only resembles Grafana, and the
picture says so. Queries that return nothing are named on stderr.
"""

import argparse
import html
import math
import re
import sys
import time

import queries

WIDTH, UNIT_HEIGHT, GAP, MARGIN, HEAD = 1200, 29, 6, 8, 46
COLUMN = (WIDTH - 2 * MARGIN) / 24
POINTS = 80
PALETTE = ["#3d71d9", "#e0752d", "#56a64b", "#b877d9", "#c4162a", "#0aa7a7", "#8f6b32", "#d683ce", "#7c8b99", "#b5a600",
           "#1f3c88", "#99d8c0", "#f2a09b", "#5f4b8b", "#333333"]
LEVELS = {"green": "#37872d", "orange": "#e0752d", "red": "#c4162a", "text": "#24292e", "transparent": None}
COLORS = {}


def bends(points):
    """The points without those inside of a flat stretch."""
    neighbours = zip(points, points[1:], points[2:])
    return [points[0], *(here for a, here, b in neighbours if not a[1] == here[1] == b[1]), points[-1]]


class Svg:
    """Collects the elements of the picture."""

    def __init__(self):
        self.parts = []

    def text(self, x, y, what, size=11, color="#24292e", anchor="start", weight="normal"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}"'
                          f' font-weight="{weight}">{html.escape(what)}</text>')

    def box(self, x, y, w, h, fill, stroke="none"):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}"'
                          f' stroke="{stroke}"/>')

    def line(self, points, color, dash="", width=1.2):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in bends(points))
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"{dashes}/>')

    def area(self, points, color):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in bends(points))
        self.parts.append(f'<polygon points="{path}" fill="{color}" fill-opacity="0.35"/>')

    def written(self, height):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}"'
                f' viewBox="0 0 {WIDTH} {height:.0f}" font-family="DejaVu Sans, Verdana, sans-serif">\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def color_of(name):
    """The same colour for the same name in every panel."""
    return COLORS.setdefault(name, PALETTE[len(COLORS) % len(PALETTE)])


def shown(value, unit, decimals=None):
    """A value in its unit, as short as an axis wants it."""
    if math.isnan(value):
        return "-"
    if unit == "percentunit":
        value, after = value * 100, " %"
        if decimals is None:
            decimals = 0 if abs(value) >= 10 else 2
    elif unit == "s":
        scales = [(86400, " d"), (3600, " h"), (60, " min"), (1, " s"), (0.001, " ms")]
        scale, after = next(((s, n) for s, n in scales if abs(value) >= s * 0.999), (0.001, " ms"))
        value = value / scale if value else 0
    elif unit == "bytes":
        scales = [(2**30, " GiB"), (2**20, " MiB"), (2**10, " KiB"), (1, " B")]
        scale, after = next(((s, n) for s, n in scales if abs(value) >= s), (1, " B"))
        value /= scale
    else:
        after = " /s" if unit == "reqps" else ""
    digits = f"{value:.{decimals}f}" if decimals is not None else f"{value:.3g}"
    if "e" in digits:
        digits = f"{value:,.0f}"
    return digits.rstrip("0").rstrip(".") + after if "." in digits else digits + after


def level_color(value, steps):
    """The colour of the last threshold that the value has reached."""
    reached = [step["color"] for step in steps if step["value"] is None or value >= step["value"]]
    return LEVELS[reached[-1]] or LEVELS["text"]


def legend_of(target, labels):
    """The name of a series, as its legend says it."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: labels.get(match[1], ""), target["legendFormat"]).strip() or "value"


def nice_step(top, unit, lines=4):
    """A round step in the unit, so that few lines reach the top."""
    raw, base = top / lines, 1
    if unit == "bytes":
        base = 1024 ** max(0, math.floor(math.log(raw, 1024)))
    elif unit == "s" and raw >= 60:
        base = next(base for base in (86400, 3600, 60) if raw >= base)
    power = base * 10 ** math.floor(math.log10(raw / base))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw * 0.999)


def series_of(panel, prometheus, begin, end):
    """Name and points of each series of a graph, and the queries that have none."""
    found, empty = [], []
    for target in panel["targets"]:
        result = queries.over_time(prometheus, target, begin, end, POINTS)
        for one in result:
            points = [(float(at), float(value)) for at, value in one["values"]]
            found.append((legend_of(target, one["metric"]), [p for p in points if math.isfinite(p[1])]))
        if not result:
            empty.append(target["refId"])
    return sorted((name, points) for name, points in found if points), empty


def stacked(series):
    """Upper and lower edge of each series when they stand on one another."""
    floor, out = {}, []
    for name, points in series:
        lower = [(at, floor.get(at, 0)) for at, _ in points]
        upper = [(at, floor.get(at, 0) + value) for at, value in points]
        floor.update(upper)
        out.append((name, upper, lower))
    return out


def pieces(points, step):
    """The points cut where a value is missing."""
    out = []
    for point in points:
        if not out or point[0] - out[-1][-1][0] > 1.5 * step:
            out.append([])
        out[-1].append(point)
    return out


def wide_as(text):
    """About how wide a name is in a legend."""
    return sum(7.4 if letter.isupper() or letter == "_" else 6.3 for letter in text)


def legend_lines(names, w):
    """The names in lines of this width."""
    lines, at = [[]], 0
    for name in names:
        wide = 24 + wide_as(name)
        if at + wide > w and lines[-1]:
            lines.append([])
            at = 0
        lines[-1].append((at, name))
        at += wide
    return lines


def draw_legend(svg, x, y, names, lines, most):
    """The first lines of names; how many are left out is said where the next one would begin."""
    for number, line in enumerate(lines[:most]):
        for at, name in line:
            svg.box(x + at, y + number * 13 - 5, 10, 3, color_of(name))
            svg.text(x + at + 14, y + number * 13, name, 10, "#444d56")
    left_out = sum(len(line) for line in lines[most:])
    if left_out:
        svg.text(x, y + most * 13, f"and {left_out} more", 10, "#6a737d")


def edges_of(series, stacking):
    """Upper and lower edge of each series: stacked ones stand on one another, the others on 0."""
    if stacking == "normal":
        return stacked(series)
    return [(name, points, [(at, 0) for at, _ in points]) for name, points in series]


def draw_axes(svg, place, begin, end, most, step, unit):
    for index in range(round(most / step) + 1):
        (left, height), (right, _) = place((begin, index * step)), place((end, 0))
        svg.line([(left, height), (right, height)], "#e6e8eb", width=0.8)
        svg.text(left - 5, height + 3.5, shown(index * step, unit), 9.5, "#6a737d", "end")
    for index in range(4):
        at = begin + (end - begin) * (index + 0.5) / 4
        x, bottom = place((at, 0))
        svg.text(x, bottom + 13, time.strftime("%H:%M", time.gmtime(at)), 9.5, "#6a737d", "middle")


def draw_series(svg, place, custom, name, upper, lower, step):
    """One series as bars, as a line, or as a line over an area."""
    below, color = dict(lower), color_of(name)
    if custom["drawStyle"] == "bars":
        for at, value in upper:
            if value > below[at]:
                (x, y), (_, bottom) = place((at, value)), place((at, below[at]))
                svg.box(x - 2, y, 4, bottom - y, color)
        return
    for piece in pieces(upper, step):
        line = [place(point) for point in piece]
        if custom["fillOpacity"]:
            svg.area(line + [place((at, below[at])) for at, _ in reversed(piece)], color)
        if len(piece) == 1:
            svg.box(line[0][0] - 1, line[0][1] - 1, 2, 2, color)
        else:
            svg.line(line, color)


def draw_graph(svg, panel, frame, prometheus, begin, end):
    x, y, w, h = frame
    defaults = panel["fieldConfig"]["defaults"]
    custom = defaults["custom"]
    series, empty = series_of(panel, prometheus, begin, end)
    if not series:
        svg.text(x + w / 2, y + h / 2, "No data", 12, "#6a737d", "middle")
        return empty
    names = list(dict.fromkeys(name for name, _ in series))
    legend = legend_lines(names, w - 20)
    left, right, top, bottom = x + 52, x + w - 10, y + 30, y + h - 26 - 13 * min(len(legend), 4)
    edges = edges_of(series, custom["stacking"]["mode"])
    most = defaults.get("max") or max(value for _, upper, _ in edges for _, value in upper)
    step = nice_step(most if most > 0 else 1, defaults["unit"])
    most = max(step * math.ceil(most / step - 1e-9), step)

    def place(point):
        across = (point[0] - begin) / (end - begin)
        return left + across * (right - left), bottom - max(point[1], 0) / most * (bottom - top)

    draw_axes(svg, place, begin, end, most, step, defaults["unit"])
    apart = min((b[0] - a[0] for _, points in series for a, b in zip(points, points[1:])), default=60)
    for name, upper, lower in edges:
        draw_series(svg, place, custom, name, upper, lower, apart)
    for level in defaults["thresholds"]["steps"] if custom["thresholdsStyle"]["mode"] != "off" else []:
        if level["value"] is not None and level["value"] <= most:
            height = place((begin, level["value"]))[1]
            svg.line([(left, height), (right, height)], LEVELS[level["color"]], "5 4", 1.4)
    draw_legend(svg, x + 10, bottom + 29, names, legend, 4 if len(legend) <= 4 else 3)
    return empty


def draw_number(svg, panel, frame, prometheus, begin, end):
    x, y, w, h = frame
    result = queries.instant(prometheus, panel["targets"][0], end, end - begin)
    value = float(result[0]["value"][1]) if result else math.nan
    defaults = panel["fieldConfig"]["defaults"]
    known = math.isfinite(value)
    text = shown(value, defaults["unit"], defaults.get("decimals")) if known else "No data"
    color = level_color(value, defaults["thresholds"]["steps"]) if known else "#6a737d"
    svg.text(x + w / 2, y + h / 2 + 20, text, 26 if known else 14, color, "middle", "bold")
    return [] if result else ["A"]


def table_rows(panel, prometheus, begin, end):
    """The merged rows: labels that are shown, then a value of each query that has one for these labels."""
    organized = panel["transformations"][1]["options"]
    labels = list(organized["indexByName"])
    rows, empty = {}, []
    for index, target in enumerate(panel["targets"]):
        result = queries.instant(prometheus, target, end, end - begin)
        for one in result:
            key = tuple(one["metric"].get(label, "") for label in labels)
            rows.setdefault(key, {})[index] = float(one["value"][1])
        if not result:
            empty.append(target["refId"])
    return labels, rows, empty


def draw_table(svg, panel, frame, prometheus, begin, end):
    x, y, w, h = frame
    labels, rows, empty = table_rows(panel, prometheus, begin, end)
    hidden = panel["transformations"][1]["options"]["excludeByName"]
    overrides = [] if hidden.get("Value") else panel["fieldConfig"]["overrides"]
    columns = [{change["id"]: change["value"] for change in override["properties"]} for override in overrides]
    if not rows:
        svg.text(x + w / 2, y + h / 2, "No data", 12, "#6a737d", "middle")
    heads = labels + [column["displayName"] for column in columns]
    # A column is as wide as its longest text, and what is left is shared.
    longest = [len(head) + 3 for head in heads]
    for key in rows:
        longest[:len(labels)] = [max(length, len(text) + 3) for length, text in zip(longest, key)]
    starts = [x + 10 + (w - 20) * sum(longest[:index]) / sum(longest) for index in range(len(heads))]
    for start, head in zip(starts, heads):
        svg.text(start, y + 42, head, 10.5, "#3d71d9", weight="bold")
    for number, (key, values) in enumerate(sorted(rows.items())):
        height = y + 62 + number * 22
        if height > y + h - 6:
            break
        svg.line([(x + 8, height - 15), (x + w - 8, height - 15)], "#e6e8eb", width=0.8)
        for index, text in enumerate(key):
            svg.text(starts[index], height, text, 11)
        for index, column in enumerate(columns):
            if index in values:
                text = shown(values[index], column.get("unit", "short"), column.get("decimals"))
                steps = column.get("thresholds", {}).get("steps", [{"color": "text", "value": None}])
                color = level_color(values[index], steps)
                svg.text(starts[len(labels) + index], height, text, 11, color)
    return empty


DRAW = {"timeseries": draw_graph, "stat": draw_number, "table": draw_table}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dashboard", choices=sorted(queries.dashboards()))
    parser.add_argument("prometheus", help="its address")
    parser.add_argument("out")
    parser.add_argument("--minutes", type=int, default=60, help="how much of the past is shown (60)")
    args = parser.parse_args()
    dashboard = queries.dashboards()[args.dashboard]
    end = int(time.time()) // 60 * 60
    begin = end - 60 * args.minutes
    height = HEAD + max(p["gridPos"]["y"] + p["gridPos"]["h"] for p in dashboard["panels"]) * UNIT_HEIGHT + MARGIN

    svg = Svg()
    svg.box(0, 0, WIDTH, height, "#f4f5f5")
    svg.text(MARGIN + 4, 22, dashboard["title"], 17, weight="bold")
    clock = f"{time.strftime('%H:%M', time.gmtime(begin))} to {time.strftime('%H:%M', time.gmtime(end))} UTC"
    svg.text(MARGIN + 4, 39, "Drawn by tools/dashboards/picture.py from the dashboard's JSON and a running fleet's "
             f"metrics. This is not Grafana, where it looks different. {clock}.", 11, "#6a737d")
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        x, y = MARGIN + place["x"] * COLUMN, HEAD + place["y"] * UNIT_HEIGHT
        w, h = place["w"] * COLUMN - GAP, place["h"] * UNIT_HEIGHT - GAP
        if panel["type"] == "row":
            svg.text(x + 4, y + 18, panel["title"], 14, weight="bold")
            continue
        svg.box(x, y, w, h, "#ffffff", "#dfe2e5")
        svg.text(x + 10, y + 18, panel["title"], 11.5 if panel["type"] != "stat" else 10.5, weight="bold")
        for ref in DRAW[panel["type"]](svg, panel, (x, y, w, h), args.prometheus, begin, end):
            print(f"{args.dashboard}: {panel['title']}, query {ref}: no data", file=sys.stderr)
    with open(args.out, "w") as file:
        file.write(svg.written(height))


if __name__ == "__main__":
    main()
