//! Chooses the passages for an answer in mode loop: the best ones of all searches of the turn. Pure.

use envelope::limits::LOOP_PASSAGES_MAX;
use envelope::{FanOut, Passage};

/// The passages from which the answer is composed, and the number of those left out. The best passage of each search
/// comes first, then the second of each, and so on; each passage stands there once. A passage without text, which
/// only carries what a document says of itself, is left out.
pub(crate) fn passages(evidence: Vec<FanOut>) -> (Vec<Passage>, u16) {
    let mut searches: Vec<_> = evidence
        .into_iter()
        // The last search is that for what the ones before it lacked.
        .rev()
        .map(|search| search.scatter.passages.into_iter())
        .collect();
    let mut all: Vec<Passage> = Vec::new();
    loop {
        let rank: Vec<Passage> = searches.iter_mut().filter_map(Iterator::next).collect();
        if rank.is_empty() {
            break;
        }
        for passage in rank.into_iter().filter(|one| !one.text.is_empty()) {
            if all.iter().all(|known| known.chunk_id != passage.chunk_id) {
                all.push(passage);
            }
        }
    }
    let over = all.len().saturating_sub(LOOP_PASSAGES_MAX);
    all.truncate(LOOP_PASSAGES_MAX);
    (all, u16::try_from(over).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{After, FilterMatch, Plan, Scatter};
    use testkit::model::passage;

    fn search(names: &[&str]) -> FanOut {
        let passages = names.iter().map(|name| match name.strip_prefix('-') {
            Some(bare) => passage(bare, ""),
            None => passage(name, "text"),
        });
        FanOut {
            hop: 2,
            results: Vec::new(),
            scatter: Scatter {
                plan: Plan::default(),
                passages: passages.collect(),
                matched: FilterMatch::Matched,
                total_hits: 9,
                after: After::Review,
            },
        }
    }

    #[test]
    fn the_best_of_each_search_come_first_each_once_and_no_more_than_a_draft_names() {
        let searches = vec![
            search(&["a", "b", "c", "d"]),
            search(&["-a"]),
            search(&["e", "a", "f", "g"]),
        ];
        let (kept, over) = passages(searches);
        let names: Vec<_> = kept.iter().map(|one| one.doc_id.as_str()).collect();
        assert_eq!((names, over), (vec!["e", "a", "b", "f", "c", "g"], 1));
        assert_eq!(passages(Vec::new()), (Vec::new(), 0));
    }
}
