#!/usr/bin/env python3
"""Asks a Prometheus that scrapes a running fleet every query of the dashboards, and names those that return nothing.

    data.py http://127.0.0.1:9090 [--minutes 60]

A graph has to have had a number within these minutes, a single value and a table now. Exit code 1 when one has none and
is not in MAY_BE_EMPTY.
"""

import argparse
import math
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools/dashboards"))
import queries  # noqa: E402

# Panels whose notes say that they are empty, and when.
MAY_BE_EMPTY = {
    "alerts_that_fire": "nothing fires",
    "time_until_certificates_end": "NATS is reached without TLS",
    "refusals_by_code": "nothing was refused",
    "requests_at_doors": "there is no door",
    "places_taken_at_doors": "there is no door",
    "requests_that_follow_turns": "there is no door",
    "calls_of_webhooks_by_outcome": "there is no door",
    "ends_that_wait_for_webhooks": "there is no webhook",
    "oldest_end_that_waits_for_a_webhook": "there is no webhook",
    "time_of_stopping_p95": "no process that stopped within the hour was read once more",
}


def numbers(prometheus, target, begin, end):
    """How many numbers a query returns."""
    if target["instant"]:
        values = [one["value"] for one in queries.instant(prometheus, target, end, end - begin)]
    else:
        series = queries.over_time(prometheus, target, begin, end, 60)
        values = [value for one in series for value in one["values"]]
    return sum(math.isfinite(float(value)) for _, value in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prometheus", help="its address")
    parser.add_argument("--minutes", type=int, default=60, help="how much of the past is asked for (60)")
    args = parser.parse_args()
    end = int(time.time())
    asked, wrong = 0, 0
    for uid, dashboard in queries.dashboards().items():
        for panel in queries.panels(dashboard):
            for target in panel["targets"]:
                asked += 1
                if numbers(args.prometheus, target, end - 60 * args.minutes, end):
                    continue
                reason = MAY_BE_EMPTY.get(queries.slug(panel))
                wrong += reason is None
                why = f", as {reason}" if reason else ""
                print(f"{uid}: {panel['title']}, query {target['refId']}: no data{why}")
    print(f"{asked} queries asked, {wrong} of them without data that should have some")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
