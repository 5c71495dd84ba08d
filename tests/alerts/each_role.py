#!/usr/bin/env python3
"""Reads the tests of the alerts, and writes out what stands for every role.

In a series, `EACH_ROLE` stands for one of each role of the chart, and `EACH_ANSWERING` for one of each that a question needs:
all but the indexer. A series that the same list gives itself stays as it is there. promtool knows nothing of this, so it is
given the files that

    each_role.py FOLDER

writes, one for each of this folder.
"""

import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WORDS = re.compile(r"EACH_(?:ROLE|ANSWERING)")


def all_roles():
    """The roles of the chart's values."""
    with open(os.path.join(ROOT, "charts/argosy/values.yaml")) as file:
        return list(yaml.safe_load(file)["roles"])


def each(items, key, roles):
    """A list with what stands for several roles written out; `key` says where its items have their series."""
    given = {item[key] for item in items}
    for item in items:
        word = WORDS.search(item[key])
        if not word:
            yield item
            continue
        for role in roles:
            series = WORDS.sub(role, item[key])
            is_meant = word[0] == "EACH_ROLE" or role != "indexer"
            if is_meant and series not in given:
                yield {**item, key: series}


def read(name, roles):
    """A file of tests."""
    with open(os.path.join(HERE, name)) as file:
        content = yaml.safe_load(file)
    for test in content["tests"]:
        test["input_series"] = list(each(test["input_series"], "series", roles))
        for one in test.get("promql_expr_test", []):
            one["exp_samples"] = list(each(one.get("exp_samples") or [], "labels", roles))
    return content


def all_files():
    """The files of this folder by name, read."""
    roles = all_roles()
    names = sorted(name for name in os.listdir(HERE) if name.endswith(".yaml"))
    return {name: read(name, roles) for name in names}


def main():
    for name, content in all_files().items():
        content["rule_files"] = [os.path.join(HERE, path) for path in content["rule_files"]]
        with open(os.path.join(sys.argv[1], name), "w") as file:
            yaml.safe_dump(content, file, sort_keys=False, width=1000)


if __name__ == "__main__":
    main()
