#!/usr/bin/env python3
"""Generates collections of documents on which the ranking of documents is developed and measured.

Every collection is a data file in `data/`: how its files are called, what stands in them, how people ask. The documents
of a collection say the same sentences with other values, so only the document decides which value is right.

Usage: generate.py --out DIR [--only NAME ...] [--seed N] [--small]
"""
import argparse
import json
import random
import re
import shutil
import tomllib
import zlib
from pathlib import Path
from types import SimpleNamespace

SMALL = 30
QUESTIONS = 120
NOT_NAMED = 3  # one question in this many names no document


def names(data):
    """The organisations or products of a collection, with the forms in which people write them."""
    made = []
    for first in data["first"]:
        for second in data["second"]:
            full_second = f" {second}" if second else ""
            short = f"{first}{full_second}"
            made.append((short, first))
    return made


def entity(short, first, legal):
    words = re.findall(r"\w+", short)
    return SimpleNamespace(
        full=f"{short} {legal}".strip(),
        short=short,
        first=first,
        lower=short.lower(),
        run="".join(words).upper(),
        camel="".join(word[0].upper() + word[1:] for word in words),
        snake="_".join(words).lower(),
        kebab="-".join(words).lower(),
        initials="".join(word[0] for word in words).upper(),
        owned=f"{short}'s",
        joined="".join(words).lower(),
    )


def misspelt(name, dice):
    """The name with one or two letters wrong, as people type."""
    letters = list(name)
    inner = [n for n in range(1, len(letters) - 1) if letters[n].isalpha() and letters[n + 1].isalpha()]
    for n in dice.sample(inner, min(len(inner), 1 if len(name) < 10 else 2)):
        way = dice.randrange(3)
        if way == 0:
            letters[n], letters[n + 1] = letters[n + 1], letters[n]
        elif way == 1:
            letters[n] = letters[n] * 2
        else:
            letters[n] = dice.choice("aeioulrnst")
    return "".join(letters)


def months(language):
    english = "January February March April May June July August September October November December"
    german = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
    spanish = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    return {"de": german, "es": spanish}.get(language, english).split()


def contexts(data, count, dice):
    """The documents: combinations of a name, a time and a kind, drawn so that siblings of each are there too."""
    legal = data.get("legal", [""])
    entities = names(data)
    dice.shuffle(entities)
    kinds = data.get("kind", [{"path": "", "text": "", "said": [""]}])
    years = list(range(data["years"][0], data["years"][1] + 1))
    per_name = (1 if data.get("once") else len(years)) * len(kinds) * data.get("of_each", 1)
    wanted = max(3, min(len(entities), round(count / (per_name * data.get("share", 0.6)))))
    chosen = [entity(short, first, dice.choice(legal)) for short, first in entities[:wanted]]
    for who in chosen:
        who.is_alone = all(who is one or who.first != one.first for one in chosen)
        who.has_initials = len(who.initials) > 1 and all(who is one or who.initials != one.initials for one in chosen)
    made = []
    for who in chosen:
        for year in dice.sample(years, 1) if data.get("once") else years:
            for kind in kinds:
                for part in range(data.get("of_each", 1)):
                    made.append((who, year, kind, part))
    dice.shuffle(made)
    out = []
    for number, (who, year, kind, part) in enumerate(made[:count]):
        month, day = dice.randrange(1, 13), dice.randrange(1, 29)
        month_name = months(data["language"])[month - 1]
        second = entity(*dice.choice(entities), dice.choice(legal))
        out.append(
            SimpleNamespace(
                who=who, second=second, year=year, yy=f"{year % 100:02}", last=year - 1, kind=kind["path"],
                kind_text=kind["text"], said=kind["said"], quarter=part % 4 + 1, part=part + 1,
                month=f"{month:02}", day=f"{day:02}", month_name=month_name, date=f"{year}-{month:02}-{day:02}",
                version=f"{year % 10}.{part}", number=f"{1000 + number * 7 + dice.randrange(7):05}",
                code=f"{dice.choice('QXHVTPNR')}{dice.choice('ABDGKLMZ')}-{dice.randrange(1000, 9999)}",
                hash=f"{dice.getrandbits(48):012x}", ordinal=number,
            )
        )
    return out


def value(spec, dice):
    low, high, digits = spec
    return f"{dice.uniform(low, high):.{digits}f}" if digits else str(dice.randrange(low, high))


def body(data, cx, dice, rare):
    """Pages of paragraphs; returns them with the sentence and page of each fact."""
    count = dice.randrange(data["pages"][0], data["pages"][1] + 1)
    pages = [[] for _ in range(count)]
    pages[0] += [line.format(**vars(cx)) for line in data["front"]]
    facts = {}
    for fact in data["fact"]:
        page = dice.randrange(min(1, count - 1), count)
        said = dice.choice(fact["text"]).format(**vars(cx), value=value(fact["value"], dice), before=value(fact["value"], dice))
        facts[fact["key"]] = (said, page)
        pages[page].append(f"{fact['heading']}\n\n{said}")
    if rare:
        page = dice.randrange(min(1, count - 1), count)
        pages[page].append(rare["said"])
        facts["rare"] = (rare["said"], page)
    for page in pages:
        for _ in range(data["sentences"]):
            filler = dice.choice(data["filler"])
            page.append(filler.format(**vars(cx), value=value([10, 9000, 1], dice), place=dice.choice(data["places"])))
        head, rest = page[: len(data["front"])] if page is pages[0] else [], page[len(data["front"]):] if page is pages[0] else page
        dice.shuffle(rest)
        page[:] = head + rest
    return pages, facts


def rare_events(data, count, dice):
    """Events that stand in one document alone, and how they are asked for in other words."""
    pairs = [(event, place) for event in data["event"] for place in data["places"]]
    dice.shuffle(pairs)
    out = []
    for event, place in pairs[:count]:
        number = value(event["value"], dice)
        out.append({
            "said": event["text"].format(place=place, value=number),
            "asked": dice.choice(event["ask"]).format(place=place),
        })
    return out


def asked(data, cx, fact, dice):
    """A question for a fact of a document, and the kind of its wording."""
    kind = dice.choice(list(data["who"]))
    # What stands for several names is no name.
    if kind == "short_form" and not cx.who.is_alone or kind == "initials" and not cx.who.has_initials:
        kind = "plain"
    forms = data["who"][kind]
    who = dice.choice(forms).format(**vars(cx), wrong=misspelt(cx.who.short, dice), kind_said=dice.choice(cx.said))
    when = dice.choice(data["when"]).format(**vars(cx), kind_said=dice.choice(cx.said))
    wording = fact["ask_de"] if kind == "other_language" else fact["ask"]
    text = dice.choice(wording).format(who=who, when=when, kind_said=dice.choice(cx.said))
    return re.sub(r"\s+", " ", dice.choice(data.get("around", ["{}"])).format(text, kind_said=dice.choice(cx.said))).strip(), kind


def pdf(pages):
    """A plain PDF: one text object a line, Helvetica, WinAnsi."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    kids, streams = [], []
    for page in pages:
        lines = []
        for paragraph in page:
            for block in paragraph.split("\n\n"):
                line = ""
                for word in block.split():
                    if len(line) + len(word) > 92:
                        lines.append(line)
                        line = ""
                    line = f"{line} {word}".strip()
                lines += [line, ""]
        escaped = (re.sub(r"([\\()])", r"\\\1", line) for line in lines)
        text = "BT /F1 9 Tf 11 TL 50 800 Td\n" + "".join(f"({line}) Tj T*\n" for line in escaped) + "ET"
        streams.append(zlib.compress(text.encode("cp1252", "replace")))
    out = [text.encode() for text in objects]
    for stream in streams:
        number = len(out) + 1
        out.append(f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode() + stream + b"\nendstream")
        out.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        kids.append(f"{number + 1} 0 R")
    out[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    written, places = b"%PDF-1.4\n", []
    for number, text in enumerate(out, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n".encode() + text + b"\nendobj\n"
    start = len(written)
    written += f"xref\n0 {len(out) + 1}\n0000000000 65535 f \n".encode()
    written += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    return written + f"trailer << /Size {len(out) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


def write(path, pages):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".pdf":
        path.write_bytes(pdf(pages))
    else:
        path.write_text("\n\n".join("\n\n".join(page) for page in pages) + "\n", encoding="utf-8")


def collection(data, out, seed, small):
    dice = random.Random(f"{seed} {data['name']}")
    count = SMALL if small else data["documents"]
    questions_max = SMALL if small else QUESTIONS
    all_cx = contexts(data, count, dice)
    rare = rare_events(data, questions_max // NOT_NAMED, dice)
    holders = dict(zip(dice.sample(range(len(all_cx)), min(len(rare), len(all_cx))), rare))
    shutil.rmtree(out, ignore_errors=True)
    found, seen = [], set()
    for cx in all_cx:
        path = data["path"].format(**vars(cx))
        if path in seen:
            continue
        seen.add(path)
        pages, facts = body(data, cx, dice, holders.get(cx.ordinal))
        write(out / "documents" / path, pages)
        found.append((path, cx, facts))
    questions = []
    is_paged = data["path"].endswith(".pdf")

    def add(path, text, kind, fact):
        said, page = fact
        questions.append({
            "id": f"{data['name']}-{len(questions)}", "text": text, "kind": kind, "document": path,
            "answer": said, "page": page + 1 if is_paged else None,
            "language": "de" if kind == "other_language" else data["language"],
        })

    for path, cx, facts in found:
        if cx.ordinal in holders:
            add(path, holders[cx.ordinal]["asked"], "no_document", facts["rare"])
    for path, cx, facts in dice.sample(found, min(len(found), questions_max - len(questions))):
        fact = dice.choice(data["fact"])
        text, kind = asked(data, cx, fact, dice)
        add(path, text, kind, facts[fact["key"]])
    lines = (json.dumps(question, ensure_ascii=False) for question in questions)
    (out / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    about = {"name": data["name"], "half": data["half"], "documents": len(found), "questions": len(questions)}
    (out / "about.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
    print(json.dumps(about))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true", help=f"{SMALL} documents and questions a collection")
    arguments = parser.parse_args()
    for path in sorted((Path(__file__).parent / "data").glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if not arguments.only or data["name"] in arguments.only:
            collection(data, arguments.out / data["name"], arguments.seed, arguments.small)


if __name__ == "__main__":
    main()
