#!/usr/bin/env python3
"""Reads pages that are pictures with the real tesseract and pdftoppm: `python3 tests/formats/scans.py FOLDER`.

Installs the programs with apt-get where they are missing, draws pages of text as a scanner sees them (noise, a slant, one
page on its side), indexes them, and counts the words that are found. Exits with 1 where too few are."""

import argparse
import difflib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["pillow==12.0.0"]
PROGRAMS = {"tesseract": "tesseract-ocr", "pdftoppm": "poppler-utils", "fc-match": "fontconfig"}
BAR = 0.97
WORDS = (
    "harbour crane yard foreman rope brake sensor tonnes inspection invoice lease tenant gate northern monthly signs "
    "information sheet weather wind limit metres second below above while stays lifted cargo vessel anchor deposit "
    "heating contract notice paid before after annual maintenance engine coolant filter valve pressure exceeds"
).split()


def inside_of_programs(folder):
    home = folder.resolve() / "programs"
    if pathlib.Path(sys.prefix) == home:
        return
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    if missing:
        subprocess.run(["apt-get", "install", "-y", *missing], check=True)
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run([home / "bin/pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(home / "bin/python", [str(home / "bin/python"), *sys.argv])


def text(draw):
    """Lines of words and numbers, about as long as those of a letter."""
    lines = []
    for _ in range(34):
        words = [draw.choice(WORDS) for _ in range(9)]
        words[draw.randrange(9)] = f"{draw.choice('ABCD')}B-{draw.randrange(1000, 9999)}"
        lines.append(" ".join(words).capitalize() + ".")
    return lines


def page(lines, draw, noise):
    """A page of A4 at 200 dots an inch, a bit skew and soft, with specks."""
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    found = subprocess.run(["fc-match", "-f", "%{file}", "Liberation Serif"], check=True, capture_output=True, text=True)
    image = Image.new("L", (1654, 2339), 250)
    font = ImageFont.truetype(found.stdout, 34)
    ImageDraw.Draw(image).multiline_text((140, 160), "\n".join(lines), font=font, fill=30, spacing=22)
    image = image.rotate(draw.uniform(-0.8, 0.8), fillcolor=250).filter(ImageFilter.GaussianBlur(0.7))
    for _ in range(noise):
        image.putpixel((draw.randrange(1654), draw.randrange(2339)), draw.randrange(256))
    return image


def make(corpus):
    """The files, with the words of each."""
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    draw, words = random.Random(39), {}
    for name, noise in [("clean.png", 0), ("noisy.png", 20_000), ("noisy.jpg", 20_000), ("side.png", 2_000)]:
        lines = text(draw)
        picture = page(lines, draw, noise)
        (picture.rotate(90, expand=True) if name == "side.png" else picture).save(corpus / name)
        words[name] = lines
    for name in ["scan.pdf", "scan.tif"]:
        pages = [text(draw) for _ in range(3)]
        pictures = [page(lines, draw, 5_000) for lines in pages]
        pictures[0].save(corpus / name, save_all=True, append_images=pictures[1:], resolution=200)
        words[name] = sum(pages, [])
    return words


def split(text):
    return re.findall(r"[\w-]+", text.lower())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="where programs, pages and the index go")
    parser.add_argument("--argosy", type=pathlib.Path, default=HERE.parents[1] / "target/debug/argosy")
    chosen = parser.parse_args()
    inside_of_programs(chosen.folder)
    import facts

    folder = chosen.folder.resolve()
    wanted = make(folder / "corpus")
    shutil.rmtree(folder / "data", ignore_errors=True)
    (folder / "argosy.toml").write_text('[indexer]\nocr = "tesseract"\n')
    door = facts.Door(chosen.argosy.resolve(), folder)
    read = {name: {} for name in wanted}
    sure, places = {}, set()
    try:
        for name, lines in wanted.items():
            for line in lines:
                for passage in door.post("/api/search", {"query": line, "top_k": 20})["passages"]:
                    read[passage["source"]][passage["page"], passage["line"]] = passage["text"]
                    sure[passage["source"]] = passage["metadata"]["ocr_confidence"]
                    places.update((passage["source"], place["page"]) for place in passage.get("places", []) or [passage])
    finally:
        door.close()
    all_found = all_words = 0
    for name, lines in wanted.items():
        words = split(" ".join(lines))
        # In their order: a word that is read once does not stand for another place.
        texts = split(" ".join(text for _, text in sorted(read[name].items())))
        blocks = difflib.SequenceMatcher(None, words, texts, autojunk=False).get_matching_blocks()
        found = sum(block.size for block in blocks)
        print(f"{name:12} {found}/{len(words)} words found, ocr_confidence {sure.get(name)}")
        all_found, all_words = all_found + found, all_words + len(words)
    pages = {name: sorted(page for source, page in places if source == name) for name in ["scan.pdf", "scan.tif"]}
    print(f"all          {all_found / all_words:.4f}; pages {pages}; the bar is {BAR}")
    sys.exit(all_found / all_words < BAR or any(pages[name] != [1, 2, 3] for name in pages))


if __name__ == "__main__":
    main()
