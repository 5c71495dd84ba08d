//! Queries for documents by terms.

use tantivy::Term;
use tantivy::query::{BooleanQuery, ConstScoreQuery, Query, TermQuery, TermSetQuery};
use tantivy::schema::IndexRecordOption;

/// Up to how many terms are looked up one by one.
const LOOKED_UP_MAX: usize = 100;

/// Documents that have a term.
pub(super) fn term_query(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}

/// Documents that have one of some terms, each with a score of 1. Tantivy's own query for a set builds an automaton first, with
/// room for twenty thousand nodes, which takes as long as to look up some hundred terms (findings/tantivy-set-of-one-term.sh).
pub(super) fn any_term(terms: impl IntoIterator<Item = Term>) -> Box<dyn Query> {
    let mut terms: Vec<Term> = terms.into_iter().collect();
    terms.sort_unstable();
    terms.dedup();
    if terms.len() > LOOKED_UP_MAX {
        return Box::new(TermSetQuery::new(terms));
    }
    let any = terms.into_iter().map(term_query).collect();
    Box::new(ConstScoreQuery::new(
        Box::new(BooleanQuery::union(any)),
        1.0,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tantivy::collector::TopDocs;
    use tantivy::schema::{STRING, Schema};
    use tantivy::{Index, doc};

    #[test]
    fn what_is_looked_up_is_what_the_set_finds() {
        let mut schema = Schema::builder();
        let field = schema.add_text_field("word", STRING);
        let index = Index::create_in_ram(schema.build());
        let mut writer = index.writer(30_000_000).expect("a writer");
        for n in 0..300 {
            let word = doc!(field => format!("w{}", n % 150));
            writer.add_document(word).expect("a document");
            // In two segments.
            if n % 200 == 100 {
                writer.commit().expect("a commit");
            }
        }
        writer.commit().expect("a commit");
        let searcher = index.reader().expect("a reader").searcher();
        let all = || TopDocs::with_limit(1_000).order_by_score();
        let term = |n: usize| Term::from_field_text(field, &format!("w{n}"));
        for terms in [0, 1, 2, 100, 101, 149] {
            // Twice, and some that no document has.
            let terms = (0..terms).chain(0..terms).chain(400..400 + terms / 50);
            let terms: Vec<Term> = terms.map(term).collect();
            let (here, set) = (any_term(terms.clone()), TermSetQuery::new(terms));
            let [here, set] =
                [&*here, &set].map(|query| searcher.search(query, &all()).expect("a search"));
            assert_eq!(here, set);
        }
    }
}
