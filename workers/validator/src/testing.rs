//! Test data that several modules use: citations, drafts, scatter records.

use crate::evidence::Evidence;
use envelope::{After, Citation, DocId, Draft, FilterMatch, Plan, Scatter, Task};

impl From<Draft> for Evidence {
    fn from(draft: Draft) -> Evidence {
        let Ok(evidence) = Evidence::try_from(Task::bare(draft)) else {
            panic!("a draft is what a validator works on")
        };
        evidence
    }
}

/// A source with one passage.
pub(crate) fn citation(id: &str) -> Citation {
    Citation {
        page_name: None,
        n: 1,
        doc_id: DocId::new(id).unwrap(),
        chunk_id: format!("{id}.0"),
        title: "Invoice".into(),
        source: format!("in/{id}.txt"),
        page: None,
        line: 1,
        score: 1.0,
        quote: String::new(),
    }
}

/// A draft without sources, composed from the scatter record of hop 2.
pub(crate) fn draft(text: &str) -> Draft {
    Draft {
        text: text.into(),
        scatters: vec![2],
        ..Draft::default()
    }
}

/// A scatter record without passages.
pub(crate) fn scatter() -> Scatter {
    Scatter {
        plan: Plan::default(),
        passages: Vec::new(),
        matched: FilterMatch::Matched,
        total_hits: 0,
        after: After::Map,
    }
}
