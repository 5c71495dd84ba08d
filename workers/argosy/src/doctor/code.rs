//! The checks by their codes. Each has a page, which is a section of docs/operations/doctor.md: the text has one
//! home, and `argosy explain` prints it from there.

use serde::{Serialize, Serializer};

/// Where the pages are.
const PAGES: &str = include_str!("../../../../docs/operations/doctor.md");

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The server can be reached.
    Connection,
    /// It is new enough, and has JetStream.
    JetStream,
    /// Streams and consumers are as wanted.
    Topology,
    /// Streams have room.
    Room,
    /// What rate of questions they carry.
    Rate,
    /// The server's clock and ours agree.
    Clock,
    /// These credentials may do what workers do.
    Access,
    /// Every role runs and is ready.
    Processes,
    /// Indexes have caught up.
    Index,
    /// Model nodes answer, know the model and are long enough.
    Model,
    /// Processes get answers from them.
    Node,
    /// All processes together stay below what nodes run at once.
    Ceiling,
    /// Data folders have room.
    Disk,
    /// No dead letters.
    Dead,
    /// The servers that searches ask answer: embedder and reranker.
    Retrieval,
    /// Conversations are taken, read, and kept for long enough.
    Conversations,
    /// Their logs are what follows from their events.
    Logs,
}

impl Code {
    /// Every code, in their order.
    pub const ALL: [Code; 17] = [
        Code::Connection,
        Code::JetStream,
        Code::Topology,
        Code::Room,
        Code::Rate,
        Code::Clock,
        Code::Access,
        Code::Processes,
        Code::Index,
        Code::Model,
        Code::Node,
        Code::Ceiling,
        Code::Disk,
        Code::Dead,
        Code::Retrieval,
        Code::Conversations,
        Code::Logs,
    ];

    /// As it is written. A code that is given up is never given to another check.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::Connection => "D01",
            Code::JetStream => "D02",
            Code::Topology => "D03",
            Code::Room => "D04",
            Code::Rate => "D05",
            Code::Clock => "D06",
            Code::Access => "D07",
            Code::Processes => "D08",
            Code::Index => "D09",
            Code::Model => "D10",
            Code::Node => "D11",
            Code::Ceiling => "D12",
            Code::Disk => "D13",
            Code::Dead => "D14",
            Code::Retrieval => "D15",
            Code::Conversations => "D16",
            Code::Logs => "D17",
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

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

/// The page of a code, in whatever case it is written.
pub fn explain(code: &str) -> Option<Page> {
    pages()
        .into_iter()
        .find(|page| page.code.eq_ignore_ascii_case(code))
}

/// A section is a page when its heading begins with a code.
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
    fn every_code_has_a_page_and_every_page_a_code() {
        let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        let paged: Vec<_> = pages().iter().map(|page| page.code).collect();
        assert_eq!(
            paged, codes,
            "docs/operations/doctor.md wants a section `### D.. title` for each code, in their order"
        );
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
