//! The codes of the checks. The page of each is a section of docs/operations/doctor.md, which `argosy explain`
//! prints, so that the text is written only once.

use serde::Serialize;

/// Where the pages are.
const PAGES: &str = include_str!("../../../../docs/operations/doctor.md");

/// A page: what a code means and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The code.
    pub code: &'static str,
    /// What is checked, in a few words.
    pub title: &'static str,
    /// The rest, in Markdown.
    pub text: &'static str,
}

/// Every page, in the order of the codes.
pub(crate) fn pages() -> Vec<Page> {
    let sections = PAGES.split("\n### ").skip(1);
    sections.filter_map(page).collect()
}

/// The page of a code, in upper or lower case.
pub fn explain(code: &str) -> Option<Page> {
    pages()
        .into_iter()
        .find(|page| page.code.eq_ignore_ascii_case(code))
}

/// Parses a section of the manual into a page; `None` if its heading does not begin with a code such as `D04`.
fn page(section: &'static str) -> Option<Page> {
    let (heading, rest) = section.split_once('\n')?;
    let (code, title) = heading.split_once(' ')?;
    let mut signs = code.chars();
    let is_code = code.len() == 3 && signs.next() == Some('D') && signs.all(|c| c.is_ascii_digit());
    // The last one ends where the next chapter begins.
    let text = rest.split("\n## ").next()?.trim();
    is_code.then_some(Page { code, title, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_says_enough() {
        for page in pages() {
            assert!(page.text.len() > 80, "{} says too little", page.code);
            assert!(!page.text.contains("\n#"), "{}: {}", page.code, page.text);
        }
    }

    #[test]
    fn a_code_is_explained_in_any_case_and_a_word_is_not() {
        assert_eq!(explain("d01"), explain("D01"));
        assert!(explain("D01").is_some());
        assert_eq!(explain("D99"), None);
        assert_eq!(explain("Snapshots"), None);
    }
}
