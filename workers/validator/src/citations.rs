//! Renumbers the citations of an answer: every `[n]` names a source, and the sources are numbered in the order of
//! their first citation.
//!
//! The old numbers are valid in one draft only and all are replaced, so no number of another turn can get into an
//! answer.

use envelope::Citation;

/// An answer with its citations settled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settled {
    /// The answer, `[n]` renumbered from 1 in order of first use.
    pub(crate) answer: String,
    /// The sources that it cites, in that order.
    pub(crate) citations: Vec<Citation>,
    /// How many marks named no source and were cut out.
    pub(crate) unknown: usize,
}

/// Renumbers the marks of `text`. It cuts out marks that name none of `sources`, and marks that repeat the one right
/// before them.
pub(crate) fn settle(text: &str, sources: &[Citation]) -> Settled {
    let mut settled = Settled {
        answer: String::with_capacity(text.len()),
        citations: Vec::new(),
        unknown: 0,
    };
    let mut rest = text;
    let mut last_mark = None;
    while let Some((before, number, after)) = next_mark(rest) {
        settled.answer.push_str(before);
        if !before.trim().is_empty() {
            last_mark = None;
        }
        let known = number.and_then(|n| sources.iter().find(|source| source.n == n));
        match known {
            Some(source) if last_mark == Some(source.n) => trim_end(&mut settled.answer),
            Some(source) => {
                let n = settled.number(source);
                settled.answer.push_str(&format!("[{n}]"));
                last_mark = Some(source.n);
            }
            None => {
                settled.unknown += 1;
                trim_end(&mut settled.answer);
                if ends_in_half_a_mark(&settled.answer) {
                    settled.answer.push(' ');
                }
            }
        }
        rest = after;
    }
    settled.answer.push_str(rest);
    settled.answer = settled.answer.trim().to_owned();
    settled
}

impl Settled {
    fn number(&mut self, source: &Citation) -> usize {
        let cited = |c: &Citation| c.chunk_id == source.chunk_id && c.doc_id == source.doc_id;
        if let Some(at) = self.citations.iter().position(cited) {
            return at + 1;
        }
        let n = self.citations.len() + 1;
        self.citations.push(Citation {
            n: n as u16,
            ..source.clone()
        });
        n
    }
}

/// `text` without its marks, to be read as prose.
pub(crate) fn without_marks(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, _, after)) = next_mark(rest) {
        prose.push_str(before);
        prose.push(' ');
        rest = after;
    }
    prose.push_str(rest);
    prose
}

/// The text before the next `[digits]`, its number where it is valid, and the text after it.
fn next_mark(text: &str) -> Option<(&str, Option<u16>, &str)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find('[')?;
        let inside = &text[open + 1..];
        let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && inside[digits..].starts_with(']') {
            let number = inside[..digits].parse().ok();
            return Some((&text[..open], number, &inside[digits + 1..]));
        }
        from = open + 1;
    }
}

/// Removes the space that a mark leaves before the full stop when it is cut out.
fn trim_end(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
}

/// Whether the text ends in half a mark: cutting `[9]` out of `[[9]1]` must not leave `[1]`.
fn ends_in_half_a_mark(text: &str) -> bool {
    text.trim_end_matches(|c: char| c.is_ascii_digit())
        .ends_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::DocId;
    use proptest::prelude::*;

    fn sources(count: u16) -> Vec<Citation> {
        let source = |n| Citation {
            page_name: None,
            n,
            doc_id: DocId::new(format!("d{n}")).unwrap(),
            chunk_id: format!("d{n}.0"),
            title: String::new(),
            source: String::new(),
            page: None,
            line: 1,
            score: 1.0,
            quote: String::new(),
        };
        (1..=count).map(source).collect()
    }

    fn settled(text: &str) -> (String, Vec<String>, usize) {
        let settled = settle(text, &sources(4));
        let cited = settled.citations.into_iter();
        (
            settled.answer,
            cited.map(|c| format!("{}={}", c.n, c.doc_id)).collect(),
            settled.unknown,
        )
    }

    #[test]
    fn numbers_by_first_use() {
        let (answer, cited, unknown) = settled("Due in May [3]. Paid [1][3]. By wire [3].");
        assert_eq!(answer, "Due in May [1]. Paid [2][1]. By wire [1].");
        assert_eq!(
            (cited, unknown),
            (vec!["1=d3".to_owned(), "2=d1".into()], 0)
        );
    }

    #[test]
    fn cuts_out_what_names_no_source() {
        let (answer, cited, unknown) = settled("Due [7]. Paid [2] [99999999]. A [b] and [0].");
        assert_eq!(answer, "Due. Paid [1]. A [b] and.");
        assert_eq!(settled("[[9]1] [2[0]3]").0, "[ 1] [2 3]");
        assert_eq!((cited, unknown), (vec!["1=d2".to_owned()], 3));
    }

    #[test]
    fn repeats_a_mark_once() {
        assert_eq!(settled("Due [2][2] [2]. So [2].").0, "Due [1]. So [1].");
        assert_eq!(settled("No marks.").1, Vec::<String>::new());
        assert_eq!(settled("[1]").0, "[1]");
    }

    proptest! {
        #[test]
        fn every_mark_names_a_citation(
            text in "(\\[[0-9]{1,2}\\]|[a-z0-9 .\\[\\]]|\\PC){0,60}",
            count in 0u16..12,
        ) {
            let settled = settle(&text, &sources(count));
            let mut rest = settled.answer.as_str();
            let mut seen = 0;
            while let Some((_, number, after)) = next_mark(rest) {
                let n = number.unwrap_or(0);
                prop_assert!((1..=settled.citations.len() as u16).contains(&n));
                prop_assert!(n <= seen + 1, "in order of first use");
                seen = seen.max(n);
                rest = after;
            }
            prop_assert_eq!(seen as usize, settled.citations.len());
            let squeezed = |t: &str| without_marks(t).split_whitespace().collect::<String>();
            prop_assert_eq!(squeezed(&settled.answer), squeezed(&text), "the words stay");
        }
    }
}
