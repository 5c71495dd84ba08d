#!/usr/bin/env bash
# rustc 1.95.0 (59807616e), x86_64-unknown-linux-gnu: safe code of the standard library alone gives another result with -O.
#
# A text is split at its dots, and two closures in a row try to read a clone of the same `str::Split`: the first wants the word
# `answer`, the second `timer`. One would expect the second to see the text from its beginning, whatever the first has done with its
# own clone. Seen: without optimisation it does; from -C opt-level=2 on, "timer.t" is read by neither. With a slice of the tokens in
# place of the iterator the results are the same at every level.
#
# Exits with 0 while that is so, and with 1 when the levels agree. It needs rustup, and brings the toolchain where it is missing.
set -euo pipefail
version=1.95.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
rustc=(rustc)
if [[ $(rustc --version 2>/dev/null) != "rustc $version "* ]]; then
    rustup toolchain install --profile minimal "$version" >/dev/null
    rustc=(rustup run "$version" rustc)
fi
"${rustc[@]}" --version

cat >read.rs <<'RUST'
use std::str::Split;

fn read(tokens: Split<'_, char>) -> Option<u8> {
    let row = |mut tokens: Split<'_, char>| {
        if tokens.next()? != "answer" {
            return None;
        }
        tokens.next()?.parse::<String>().ok()?;
        tokens.next().is_none().then_some(1)
    };
    if let Some(row) = row(tokens.clone()) {
        return Some(row);
    }
    let row = |mut tokens: Split<'_, char>| {
        if tokens.next()? != "timer" {
            return None;
        }
        tokens.next()?.parse::<String>().ok()?;
        tokens.next().is_none().then_some(2)
    };
    row(tokens.clone())
}

fn main() {
    println!("{:?} {:?}", read("answer.t".split('.')), read("timer.t".split('.')));
}
RUST

for level in 0 1 2 3; do
    "${rustc[@]}" --edition 2024 -C opt-level=$level read.rs -o "read$level" 2>/dev/null
    printf 'opt-level=%s: %s\n' "$level" "$("./read$level")"
done
echo 'expected:    Some(1) Some(2) at every level'
[[ $(./read0) == 'Some(1) Some(2)' && $(./read2) == 'Some(1) None' ]]
