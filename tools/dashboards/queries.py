"""What the JSON of the dashboards asks Prometheus: panels, and queries with the variables filled in as Grafana does."""

import glob
import json
import os
import re
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.path.dirname(os.path.dirname(HERE)), "charts/argosy/files/dashboards")
# Of the data source in deploy/grafana, and of the chart's PodMonitor.
SCRAPE_SECONDS = 15


def dashboards():
    """Each dashboard by its uid."""
    loaded = {}
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.json"))):
        with open(path) as file:
            loaded[os.path.basename(path).removesuffix(".json")] = json.load(file)
    return loaded


def panels(dashboard):
    """Its panels without the headings of rows."""
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def slug(panel):
    """The title as a word, by which tests name a panel."""
    return re.sub(r"\W+", "_", panel["title"].lower()).strip("_")


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smhd])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]


def filled(expr, interval=0, scrape=SCRAPE_SECONDS, span=3 * 3600, names=("namespace", "role", "model")):
    """The expression with everything chosen. `interval` is the step of a graph, and a query's least step counts as
    `scrape`. As in Grafana, the interval of rates is four scrapes and at least a step and a scrape."""
    rate = max(4 * scrape, interval + scrape)
    values = {"__rate_interval": f"{rate}s", "__range": f"{span}s", **{name: ".*" for name in names}}
    return re.sub(r"\$(\w+)", lambda match: values.get(match[1], match[0]), expr)


def ask(prometheus, path, **parameters):
    """The result of a query; an error of Prometheus is raised with its own words."""
    url = f"{prometheus.rstrip('/')}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return json.load(response)["data"]["result"]
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{json.load(error).get('error')}: {parameters['query']}") from None


def instant(prometheus, target, at, span):
    return ask(prometheus, "query", query=filled(target["expr"], span=span), time=at)


def over_time(prometheus, target, begin, end, points):
    """Series of a graph with about so many points; the step is a whole multiple of the query's least one."""
    least = seconds(target["interval"])
    step = least * max(1, round((end - begin) / points / least))
    expr = filled(target["expr"], interval=step, scrape=least, span=end - begin)
    return ask(prometheus, "query_range", query=expr, start=begin, end=end, step=step)
