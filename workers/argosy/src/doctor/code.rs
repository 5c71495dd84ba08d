//! The codes of the checks. The page of each is a section of docs/operations/doctor.md, which `argosy explain`
//! prints, so that the text is written only once.

use serde::{Serialize, Serializer};

/// Where the pages are.
const PAGES: &str = include_str!("../../../../docs/operations/doctor.md");

/// One check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// Whether the server can be reached.
    Connection,
    /// Whether the server is new enough, and has JetStream.
    JetStream,
    /// Whether the streams and consumers are as wanted.
    Topology,
    /// Whether the streams have room.
    Room,
    /// What rate of questions the streams carry.
    Rate,
    /// Whether the server's clock and that of this machine agree.
    Clock,
    /// Whether these credentials allow what workers do.
    Access,
    /// Whether every role runs and is ready.
    Processes,
    /// Whether the indexes have caught up.
    Index,
    /// Whether the model nodes answer, know the model and have a context that is long enough.
    Model,
    /// Whether the processes get answers from them.
    Node,
    /// Whether all processes together stay below the number of calls that nodes run at once.
    Ceiling,
    /// Whether the data folders have room.
    Disk,
    /// Whether there are dead letters.
    Dead,
    /// Whether the servers that searches ask, for embedding and reranking, answer.
    Retrieval,
    /// Whether conversations are taken, read, and kept for long enough.
    Conversations,
    /// Whether the logs of conversations follow from their events.
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

    /// The code in text. A code that is given up is never given to another check.
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
