#!/usr/bin/env python3
"""Draws what a terminal shows of `argosy index` over one file of each kind: `picture.py FOLDER PICTURE.svg`.

FOLDER is one that facts.py has filled: its corpus and its programs are used. A picture is added, and three files
that cannot be read: an archive that unpacks to a gigabyte, half a document, a PDF with a password. Wants `tesseract` on the PATH."""

import argparse
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["rich==14.2.0", "pypdf==6.4.0", "pillow==12.0.0"]
COLUMNS = 118
# Of rich's own frame, without its font from elsewhere.
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px }} {styles}</style><defs>{lines}</defs>{chrome}
<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def folder_of_kinds(corpus, kinds):
    """One file for each extension, and those that are no good."""
    for extension in sorted({file.suffix for file in corpus.iterdir()}):
        shutil.copy(min(corpus.glob(f"*{extension}")), kinds)
    from PIL import Image, ImageDraw, ImageFont
    from pypdf import PdfWriter

    notice = Image.new("L", (1600, 400), 255)
    letters = ImageFont.load_default(48)
    ImageDraw.Draw(notice).text((60, 150), "The tunnel is closed on Sundays until June.", font=letters, fill=0)
    notice.save(kinds / "notice.png")
    locked = PdfWriter(clone_from=corpus / "columns.pdf")
    locked.encrypt("secret")
    locked.write(kinds / "locked.pdf")
    (kinds / "half.docx").write_bytes((corpus / "pandoc-docx.docx").read_bytes()[:4000])
    with zipfile.ZipFile(kinds / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb, bomb.open("zeros.txt", "w") as zeros:
        for _ in range(1024):
            zeros.write(bytes(1 << 20))


def shown(command, cwd):
    """What a terminal receives."""
    head, tail = pty.openpty()
    subprocess.run(["stty", "cols", str(COLUMNS), "rows", "60"], stdin=tail, check=True)
    process = subprocess.Popen(command, cwd=cwd, stdin=tail, stdout=tail, stderr=tail)
    os.close(tail)
    received = b""
    while True:
        try:
            piece = os.read(head, 65536)
        except OSError:
            break
        if not piece:
            break
        received += piece
    process.wait()
    return received.decode()


def is_progress(plain):
    """Whether a line is a frame of the progress, which begins with one of Braille's signs."""
    return "\u2800" <= plain[:1] <= "\u28ff"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--argosy", type=pathlib.Path, default=HERE.parents[1] / "target/debug/argosy")
    args = parser.parse_args()
    home = args.folder.resolve() / "programs"
    if pathlib.Path(sys.prefix) != home:
        subprocess.run([home / "bin/pip", "install", "--quiet", *PACKAGES], check=True)
        os.execv(home / "bin/python", [str(home / "bin/python"), *sys.argv])
    from rich.console import Console
    from rich.text import Text

    with tempfile.TemporaryDirectory() as work:
        kinds = pathlib.Path(work) / "documents"
        kinds.mkdir()
        folder_of_kinds(args.folder / "corpus", kinds)
        options = ["--set", "indexer.ocr=tesseract"]
        text = shown([args.argosy.resolve(), "index", "documents", *options, "--set", f"data_dir={work}/data"], work)
    # Moves of the cursor say nothing here.
    frames = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-HJKSTfhl]", "", text))
    frames = [(frame, re.sub(r"\x1b\[[0-9;]*m", "", frame).strip()) for frame in frames]
    counts = [(frame, re.search(r"(\d+) of (\d+) documents", plain)) for frame, plain in frames if is_progress(plain)]
    last = [frame for frame, count in counts if count and count[1] != count[2]][-1:]
    rest = [frame for frame, plain in frames if plain and not is_progress(plain)]
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"))
    console.print(Text(" ".join(["$ argosy index documents", *options]), style="bold"))
    for line in last + rest:
        console.print(Text.from_ansi(line))
    console.save_svg(str(args.picture), title="argosy index", code_format=FRAME)
    print(f"{len(last + rest)} lines in {args.picture}")


if __name__ == "__main__":
    main()
