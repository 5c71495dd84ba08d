//! The content words of a text: the words by which two texts are compared.
//!
//! The rules are light on purpose: lower case, runs of letters and digits, a short English stop list, and endings
//! of plural and past cut off. They need not be linguistically right, only the same for both texts. *Not* the
//! analyser of the search index.

use crate::stop;

/// The content words of `text`, in order, with repetitions: lower case, stop words left out, stemmed.
pub fn content(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_content(text, |word| words.push(word.to_owned()));
    words
}

/// Passes each content word of `text` to `see`, in order, for callers that need not keep them.
pub(crate) fn each_content(text: &str, mut see: impl FnMut(&str)) {
    let (mut lower, mut stem) = (String::new(), String::new());
    for run in runs(text) {
        lower.clear();
        push_lower(&mut lower, run);
        if !stop::is_content_free(&lower) {
            stem.clear();
            push_stem(&mut stem, &lower);
            see(&stem);
        }
    }
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

/// The runs of letters and digits of `text`, as written.
pub fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty())
}

/// A lower-case word without the endings of plural, past and present participle. Words with digits
/// or of three letters and fewer stay as they are.
pub fn stem(word: &str) -> String {
    let (head, ending) = stem_of(word);
    [head, ending].concat()
}

/// Appends the stem of a lower-case word.
pub fn push_stem(out: &mut String, word: &str) {
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
