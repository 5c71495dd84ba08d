//! Removes page headers and footers that repeat from page to page.
//!
//! Only documents with pages are changed, and only lines at the upper and lower edge of a page. A line is removed if
//! an earlier page has the same line at an edge. The first page keeps it, so no line that occurs once is lost. The
//! lines may differ in a number that counts the pages: one that is alone, or behind a word for page (`Page 3 of 12`).
//! `Lesson 3` on the third page is no footer.

use crate::document::NumberedLine;
use std::collections::HashMap;
use std::ops::Range;

/// Lines with text at each edge of a page that may be header or footer.
const EDGE_LINES: usize = 3;
/// On so many pages at least, and on one page in so many, stands what is a header.
const PAGES_MIN: usize = 3;
const PAGES_ONE_IN: usize = 3;
/// Longest header, in characters.
const CHARS_MAX: usize = 160;
/// Most pages in front of the one that is numbered 1.
const UNNUMBERED_MAX: i64 = 40;

/// Words for page, before its number.
const PAGE_WORDS: [&str; 10] = [
    "page", "p", "pg", "seite", "s", "blatt", "sheet", "pagina", "página", "strana",
];
/// Words between the number of a page and that of all pages.
const OF_WORDS: [&str; 6] = ["of", "von", "de", "sur", "di", "van"];

/// What a line says, apart from the number of its page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Said {
    text: String,
    /// What is added to the page to get the number that stands in the line, where one does.
    offset: Option<i64>,
}

/// Empties lines that repeat headers and footers of earlier pages. Numbers and count of lines stay.
pub(super) fn say_once(lines: &mut [NumberedLine]) {
    let pages = pages(lines);
    if pages.len() < PAGES_MIN {
        return;
    }
    let mut counts: HashMap<Said, usize> = HashMap::new();
    for page in &pages {
        let mut here: Vec<Said> = edges(lines, page)
            .into_iter()
            .flat_map(|i| said(&lines[i]))
            .collect();
        here.sort_by(|a, b| (&a.text, a.offset).cmp(&(&b.text, b.offset)));
        here.dedup();
        for said in here {
            *counts.entry(said).or_default() += 1;
        }
    }
    let enough = PAGES_MIN.max(pages.len().div_ceil(PAGES_ONE_IN));
    counts.retain(|_, count| *count >= enough);
    // Counts become: whether an earlier page has said it.
    let mut told: HashMap<Said, bool> = counts.into_keys().map(|said| (said, false)).collect();
    for page in &pages {
        let mut new = Vec::new();
        for i in edges(lines, page) {
            let repeated: Vec<Said> = said(&lines[i])
                .filter(|said| told.contains_key(said))
                .collect();
            if repeated.iter().any(|said| told[said]) {
                lines[i].text.clear();
            }
            new.extend(repeated);
        }
        for said in new {
            told.insert(said, true);
        }
    }
}

/// The lines of each page.
fn pages(lines: &[NumberedLine]) -> Vec<Range<usize>> {
    let mut pages: Vec<Range<usize>> = Vec::new();
    for (i, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.page.is_some())
    {
        match pages.last_mut() {
            Some(page) if lines[page.start].page == line.page => page.end = i + 1,
            _ => pages.push(i..i + 1),
        }
    }
    pages
}

/// Lines with text at the upper and the lower edge of a page, each once.
fn edges(lines: &[NumberedLine], page: &Range<usize>) -> Vec<usize> {
    let full = |i: &usize| !lines[*i].text.trim().is_empty();
    let mut found: Vec<usize> = page.clone().filter(full).take(EDGE_LINES).collect();
    let below: Vec<usize> = page.clone().rev().filter(full).take(EDGE_LINES).collect();
    let last = found.last().copied();
    found.extend(below.into_iter().filter(|i| Some(*i) > last));
    found
}

/// The ways to read a line: as it stands, and with a number of it as the number of the page.
fn said(line: &NumberedLine) -> impl Iterator<Item = Said> {
    let text = text::one_line(&line.text);
    let page = i64::from(line.page.unwrap_or(0));
    // A heading or row that a reader marked as such is content: sheets by month have equal tables.
    let is_marked = text.starts_with('#') || text.starts_with("| ") && text.ends_with('|');
    let fits = !text.is_empty() && !is_marked && text.chars().count() <= CHARS_MAX;
    let mut ways = Vec::new();
    if fits {
        for run in numbers(&text).filter(|run| counts_pages(&text, run)) {
            let Ok(number) = text[run.clone()].parse::<i64>() else {
                continue;
            };
            if (-UNNUMBERED_MAX..=UNNUMBERED_MAX).contains(&(number - page)) {
                ways.push(Said {
                    text: format!("{}\u{0}{}", &text[..run.start], &text[run.end..]),
                    offset: Some(number - page),
                });
            }
        }
        ways.push(Said { text, offset: None });
    }
    ways.into_iter()
}

/// Whether the number there can be that of the page: behind a word for page, or in a line of
/// nothing but numbers.
fn counts_pages(text: &str, run: &Range<usize>) -> bool {
    let is_one_of = |word: &str, words: &[&str]| words.contains(&word.to_lowercase().as_str());
    let words = |text: &'_ str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let behind = words(&text[..run.start]).pop();
    behind.is_some_and(|word| is_one_of(&word, &PAGE_WORDS))
        || words(text)
            .iter()
            .all(|word| word.bytes().all(|b| b.is_ascii_digit()) || is_one_of(word, &OF_WORDS))
}

/// Where numbers stand.
fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn document(pages: &[Vec<String>]) -> Vec<NumberedLine> {
        let lines = (1..)
            .zip(pages)
            .flat_map(|(page, lines)| lines.iter().map(move |l| (page, l)));
        (1..)
            .zip(lines)
            .map(|(number, (page, text))| NumberedLine {
                number,
                page: Some(page),
                text: text.clone(),
            })
            .collect()
    }

    fn run(pages: &[Vec<String>]) -> Vec<String> {
        let mut lines = document(pages);
        say_once(&mut lines);
        lines.into_iter().map(|line| line.text).collect()
    }

    fn page(i: usize) -> Vec<String> {
        let body = (0..8).map(|line| format!("words {line} of this page, which is {i}-th"));
        let mut page = vec!["Northwind Estates".to_owned(), format!("Lesson {i}")];
        page.extend(body);
        page.push(format!("Page {} of 12", i + 2));
        page
    }

    #[test]
    fn headers_and_footers_stay_on_the_first_page() {
        let pages: Vec<_> = (1..=6).map(page).collect();
        let text = run(&pages);
        let count = |wanted: &str| text.iter().filter(|line| line.contains(wanted)).count();
        assert_eq!(count("Northwind"), 1);
        assert_eq!(count("of 12"), 1);
        assert_eq!(count("Lesson"), 6);
        assert_eq!(count("words"), 48);
        assert_eq!(text[0], "Northwind Estates");
    }

    #[test]
    fn figures_that_do_not_count_pages_stay() {
        let pages: Vec<_> = [7, 9, 4, 30]
            .iter()
            .map(|sum| vec!["a".repeat(*sum), format!("Total {sum}")])
            .collect();
        assert_eq!(run(&pages), pages.concat());
        assert_eq!(run(&[page(1), page(2)]), [page(1), page(2)].concat());
    }

    proptest! {
        #[test]
        fn what_is_said_once_is_never_lost(
            pages in prop::collection::vec(prop::collection::vec("(a|b|Page [1-9]|[a-c]{1,2}|)", 0..9), 0..12)
        ) {
            let before = pages.concat();
            let after = run(&pages);
            prop_assert_eq!(before.len(), after.len());
            let mut changed = HashSet::new();
            for (was, is) in before.iter().zip(&after) {
                prop_assert!(was == is || is.is_empty());
                if was != is { changed.insert(was); }
            }
            for line in changed {
                let number = |c: char| c.is_ascii_digit();
                let kept = |text: &String| text.trim_matches(number) == line.trim_matches(number) && !text.is_empty();
                prop_assert!(after.iter().any(kept), "{line:?} is gone");
            }
        }

        #[test]
        fn without_pages_nothing_changes(lines in prop::collection::vec("[ab]{0,2}", 0..30)) {
            let mut unpaged = document(&[lines]);
            unpaged.iter_mut().for_each(|line| line.page = None);
            let before = unpaged.clone();
            say_once(&mut unpaged);
            prop_assert_eq!(unpaged, before);
        }
    }
}
