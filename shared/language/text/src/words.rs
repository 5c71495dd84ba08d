//! The words of a text, and the content words by which two texts are compared.
//!
//! The rules are light on purpose: lower case, runs of letters and digits, a short list of stop words, and stems of the
//! text's language, which for English are the endings of plural and past cut off. They need not be linguistically right,
//! only the same for both texts. *Not* the analyser of the search index, which has the runs from here, too.
//!
//! Where there are no blanks between words, a run is cut: Chinese and Japanese into overlapping pairs of characters, as
//! Lucene's analyser for them does; Korean so, too, but for words of grammar; Thai, Lao, Khmer and Burmese, whose
//! characters are letters, into overlapping triples. Not by a dictionary or a model: two texts with the same word are cut
//! there differently, and the model of ICU for Thai reads half a megabyte in a second.

use crate::language::Language;

/// The content words of `text`, in order, with repetitions: lower case, stop words left out, stemmed.
pub fn content(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_content(text, |word| words.push(word.to_owned()));
    words
}

/// Passes each content word of `text` to `see`, in order, for callers that need not keep them.
pub(crate) fn each_content(text: &str, mut see: impl FnMut(&str)) {
    each_content_in(text, Language::of(text), &mut see);
}

/// The same for a text of a language: words of a short text are compared with those of a long one, which shows it.
pub fn each_content_in(text: &str, language: Language, mut see: impl FnMut(&str)) {
    any_content(text, language, |word| {
        see(word);
        false
    });
}

/// Whether `is` holds for a content word of a text of a language; what follows the first one is not read.
pub(crate) fn any_content(
    text: &str,
    language: Language,
    mut is: impl FnMut(&str) -> bool,
) -> bool {
    let (mut lower, mut stem) = (String::new(), String::new());
    runs(text).any(|run| {
        lower.clear();
        push_lower(&mut lower, run);
        if language.is_stop(&lower) {
            return false;
        }
        stem.clear();
        language.push_stem(&mut stem, &lower);
        is(&stem)
    })
}

/// Appends `run` in lower case.
pub fn push_lower(out: &mut String, run: &str) {
    if !run.is_ascii() {
        return out.push_str(&run.to_lowercase());
    }
    let from = out.len();
    out.push_str(run);
    out[from..].make_ascii_lowercase();
}

/// The runs of letters and digits of `text`, as written, cut where the script has no blanks.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_char(c))
        .filter(|run| !run.is_empty())
        .flat_map(pieces)
}

/// A word between blanks, cut where a script begins or ends that has none: `AX-1042` and `的扭矩`.
pub fn by_script(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let cut = |c: char| Script::of(c).cut() != Cut::Whole;
        let first = cut(rest.chars().next()?);
        let end = rest
            .find(|c| cut(c) != first && !is_mark(c))
            .unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        Some(part)
    })
}

/// Whether a character is part of a word: letters, digits, and marks that are set on letters.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && is_mark(c)
}

/// Signs of scripts of Asia that are set on letters and count as no letters themselves: tones, and the sign for no vowel.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036f | 0x093c | 0x094d | 0x09cd | 0x0bcd | 0x0e47..=0x0e4e | 0x0ec8..=0x0ecd
        | 0x1037..=0x103a | 0x17c9..=0x17d3)
}

/// A script, as far as it decides how a run is cut or which language it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// Whatever has blanks between its words.
    Other,
    Cyrillic,
    Arabic,
    Han,
    Kana,
    Hangul,
    /// Thai, Lao, Khmer, Burmese.
    Unspaced,
}

impl Script {
    pub(crate) const COUNT: usize = Script::Unspaced as usize + 1;

    fn of(c: char) -> Script {
        match u32::from(c) {
            ..0x0400 => Script::Other,
            0x0400..0x0530 => Script::Cyrillic,
            0x0600..0x0780 => Script::Arabic,
            0x0e00..0x0f00 | 0x1000..0x10a0 | 0x1780..0x1800 => Script::Unspaced,
            0x1100..0x1200 | 0xac00..0xd7b0 => Script::Hangul,
            0x3040..0x3100 | 0x31f0..0x3200 | 0xff66..0xffa0 => Script::Kana,
            0x3005..0x3008
            | 0x3400..0x4dc0
            | 0x4e00..0xa000
            | 0xf900..0xfb00
            | 0x2_0000..0x3_2400 => Script::Han,
            _ => Script::Other,
        }
    }

    /// How runs of it are cut.
    fn cut(self) -> Cut {
        match self {
            Script::Other | Script::Cyrillic | Script::Arabic => Cut::Whole,
            Script::Han | Script::Kana => Cut::Pairs,
            Script::Hangul => Cut::Words,
            Script::Unspaced => Cut::Triples,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Not at all.
    Whole,
    /// Into overlapping pairs.
    Pairs,
    /// So, too, but for words of grammar as a whole: there are blanks.
    Words,
    /// Into overlapping triples.
    Triples,
}

/// The script of a run, which is that of its first character; Kana where one of its characters is.
pub(crate) fn script(run: &str) -> Script {
    let mut scripts = run.chars().map(Script::of);
    match scripts.next() {
        Some(Script::Han) if scripts.any(|script| script == Script::Kana) => Script::Kana,
        first => first.unwrap_or(Script::Other),
    }
}

/// Whether words of a character's script are cut.
pub fn is_cut(c: char) -> bool {
    Script::of(c).cut() != Cut::Whole
}

/// Whether a character is of a script without blanks between its words.
pub fn is_unspaced(c: char) -> bool {
    matches!(Script::of(c).cut(), Cut::Pairs | Cut::Triples)
}

pub(crate) fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..'\u{30a0}')
}

/// A run of the characters of words, cut where its script has no blanks.
pub fn pieces(run: &str) -> RunParts<'_> {
    match run.is_ascii() {
        true => RunParts {
            rest: "",
            whole: Some(run).filter(|run| !run.is_empty()),
            cut: Vec::new(),
        },
        false => RunParts {
            rest: run,
            whole: None,
            cut: Vec::new(),
        },
    }
}

/// The pieces of a run.
pub struct RunParts<'a> {
    /// What is not cut yet.
    rest: &'a str,
    /// A run that needs no cutting: most do not.
    whole: Option<&'a str>,
    /// What is cut already, the last piece first.
    cut: Vec<&'a str>,
}

impl<'a> Iterator for RunParts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if let Some(piece) = self.whole.take().or_else(|| self.cut.pop()) {
            return Some(piece);
        }
        let cut = Script::of(self.rest.chars().next()?).cut();
        let same = |c: char| Script::of(c).cut() == cut || is_mark(c);
        let end = self.rest.find(|c| !same(c)).unwrap_or(self.rest.len());
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        match cut {
            Cut::Whole => return Some(part),
            Cut::Words if Language::Korean.is_stop(part) => return Some(part),
            Cut::Words | Cut::Pairs => self.cut.extend(windows(part, 2)),
            Cut::Triples => self.cut.extend(windows(part, 3)),
        }
        self.cut.reverse();
        self.cut.pop()
    }
}

/// The overlapping groups of so many characters; a shorter part by itself.
fn windows(part: &str, size: usize) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = part.char_indices().map(|(at, _)| at).collect();
    let groups = (starts.len() + 1).saturating_sub(size).max(1);
    (0..groups).map(move |n| &part[starts[n]..starts.get(n + size).copied().unwrap_or(part.len())])
}

/// A lower-case word without the endings of plural, past and present participle. Words with digits
/// or of three letters and fewer stay as they are.
pub fn stem(word: &str) -> String {
    let (head, ending) = stem_of(word);
    [head, ending].concat()
}

/// Appends the stem of a lower-case word.
pub(crate) fn push_stem(out: &mut String, word: &str) {
    let (head, ending) = stem_of(word);
    out.push_str(head);
    out.push_str(ending);
}

/// What the stem keeps of a word, and what it puts in the place of the rest.
fn stem_of(word: &str) -> (&str, &'static str) {
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return (word, "");
    }
    if let Some(head) = word.strip_suffix("ies").filter(|h| h.len() >= 2) {
        // As if it ended in `y`.
        return (head, if head.len() >= 3 { "i" } else { "y" });
    }
    let base = without_tense(without_plural(word));
    match base.as_bytes() {
        [head @ .., b'e'] if head.len() >= 3 => (&base[..head.len()], ""),
        [head @ .., b'y'] if head.len() >= 3 => (&base[..head.len()], "i"),
        _ => (base, ""),
    }
}

/// Without the `s` or `es` of a plural.
fn without_plural(word: &str) -> &str {
    let sibilant = |head: &&str| {
        ["x", "ch", "sh", "ss", "z"]
            .iter()
            .any(|end| head.ends_with(end))
    };
    if let Some(head) = word.strip_suffix("es").filter(sibilant) {
        return head;
    }
    match word.strip_suffix('s') {
        Some(head) if head.len() >= 3 && !head.ends_with(['s', 'u', 'i']) => head,
        _ => word,
    }
}

fn without_tense(word: &str) -> &str {
    let vowel = |head: &str| head.bytes().any(|b| b"aeiouy".contains(&b));
    let cut = |ending: &str, least: usize| {
        word.strip_suffix(ending)
            .filter(|head| head.len() >= least && vowel(head) && !head.ends_with('e'))
    };
    let Some(head) = cut("ing", 3).or_else(|| cut("ed", 3)) else {
        return word;
    };
    match head.as_bytes() {
        [.., a, b] if a == b && !b"aeioulsz".contains(b) => &head[..head.len() - 1],
        _ => head,
    }
}
