"""Makes the schema of a side: the rules that find the values in the documents of each bucket that has a schema.

The schema is made from the words of the side alone, as by a person who knows the forms; no record is used. Its synonyms
are those of `synonyms.toml`, whose author saw no question."""
import json

import placing
from fields import CONTRACTS, UNITS, kind


def schema(side, has_synonyms):
    """The schema as TOML, with synonyms if they are wanted."""
    synonyms = side.synonyms() if has_synonyms else {}
    out = [f"# The columns of the side `{side.name}`; buckets without a table have none.\n"]
    for words in side.shelves:
        if not words.has_schema:
            continue
        known = synonyms.get(words.folder, {})
        if has_synonyms:
            out.append(f"\n[{words.folder}]\n{named(known.get('synonyms', []))}")
        for called in words.fields:
            names = known.get("columns", {}).get(called.column)
            out.append(column(side, words, called, names))
    return "".join(out)


def named(synonyms):
    return f"synonyms = {json.dumps(synonyms, ensure_ascii=False)}\n"


def column(side, words, called, synonyms):
    unit = f'unit = "{UNITS[called.field]}"\n' if called.field in UNITS else ""
    lines = named(synonyms) if synonyms is not None else ""
    return (
        f'\n[{words.folder}.{called.column}]\ntype = "{kind(called.field)}"\n{unit}'
        f'description = "{called.description}"\n{lines}rules = [\n'
        f'  {{ from = "metadata", keys = ["{called.alias}"] }},\n'
        f"  {{ from = \"path\", pattern = '{placing.pattern(side, words, called.field)}' }},\n"
        f'  {{ labels = ["{called.label}"] }},\n'
        f"  {{ from = \"text\", pattern = '{sentence_pattern(called)}' }},\n"
        f"{nature_rule(side, words.shelf, called.field)}]\n"
    )


def sentence_pattern(called):
    """The pattern that finds a value in its sentence, which may stand behind another one on its line."""
    escaped = called.sentence.replace(".", "[.]").replace("{}", "(.+?)")
    return f"(?:^|[ |]){escaped}"


def nature_rule(side, shelf, field):
    """The rule that finds what a paper is at the beginning of its title."""
    if field != "nature":
        return ""
    natures = side.values["contract_natures" if shelf == CONTRACTS else "invoice_natures"]
    # The longer one first: an invoice copy is no invoice.
    longest_first = sorted(natures, key=len, reverse=True)
    return f"  {{ from = \"title\", pattern = '(?i)^({'|'.join(longest_first)})' }},\n"
