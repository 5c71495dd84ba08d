//! Keeps the documents with the largest or smallest values of a column. Pure, in bounded memory.
//!
//! Documents with the same value as the last that is wanted are as good, so they are kept, too, up to [`TIES_MAX`];
//! further ones are counted. *Not* here: which value a document has.

use search::TableDocument;
use std::cmp::Ordering;

/// The most documents that are kept beside those that are wanted.
const TIES_MAX: usize = 100;

/// What one document is compared by with others.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rank {
    Number(f64),
    Day(String),
}

impl Rank {
    fn order(&self, other: &Rank) -> Ordering {
        match (self, other) {
            (Rank::Number(one), Rank::Number(other)) => one.total_cmp(other),
            (Rank::Day(one), Rank::Day(other)) => one.cmp(other),
            (Rank::Number(_), Rank::Day(_)) => Ordering::Less,
            (Rank::Day(_), Rank::Number(_)) => Ordering::Greater,
        }
    }
}

/// The best documents so far, the best first, and by their source where they are equal.
#[derive(Debug, Default)]
pub(super) struct Best {
    rows: Vec<(Rank, TableDocument)>,
    /// How many documents are as good as the last one and not kept.
    further: u64,
}

impl Best {
    /// Takes in a document, where `limit` documents, at least one, are wanted.
    pub(super) fn insert(
        &mut self,
        rank: Rank,
        document: TableDocument,
        is_greatest: bool,
        limit: usize,
    ) {
        let place = self.rows.partition_point(|(known, other)| {
            let order = match is_greatest {
                true => rank.order(known),
                false => known.order(&rank),
            };
            order.then_with(|| other.source.cmp(&document.source)) == Ordering::Less
        });
        let bound = self.bound(limit).cloned();
        self.rows.insert(place, (rank, document));
        if self.bound(limit) != bound.as_ref() {
            self.further = 0;
        }
        let is_kept = |at: usize| at < limit || Some(&self.rows[at].0) == self.bound(limit);
        let kept = (0..self.rows.len()).take_while(|at| is_kept(*at)).count();
        let most = limit.saturating_add(TIES_MAX);
        self.further += kept.saturating_sub(most) as u64;
        self.rows.truncate(kept.min(most));
    }

    /// What the last document that is wanted is compared by.
    fn bound(&self, limit: usize) -> Option<&Rank> {
        self.rows.get(limit - 1).map(|(rank, _)| rank)
    }

    /// The number of the documents, kept or not.
    pub(super) fn count(&self) -> u64 {
        self.rows.len() as u64 + self.further
    }

    pub(super) fn into_rows(self) -> impl Iterator<Item = TableDocument> {
        self.rows.into_iter().map(|(_, document)| document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::DocId;

    fn document(source: &str) -> TableDocument {
        TableDocument {
            cells: Vec::new(),
            doc_id: DocId::new(source).expect("an id"),
            title: String::new(),
            source: source.to_owned(),
        }
    }

    fn best(values: impl IntoIterator<Item = f64>, limit: usize) -> (Vec<String>, u64) {
        let mut best = Best::default();
        for (at, value) in values.into_iter().enumerate() {
            let document = document(&format!("{at:04}"));
            best.insert(Rank::Number(value), document, true, limit);
        }
        let count = best.count();
        (best.into_rows().map(|row| row.source).collect(), count)
    }

    #[test]
    fn ties_are_kept_in_bounds_and_counted() {
        let (rows, count) = best([5.0, 9.0, 9.0, 7.0], 1);
        assert_eq!((rows.join(" "), count), ("0001 0002".into(), 2));
        let (rows, count) = best(std::iter::repeat_n(3.0, 1_000), 2);
        assert_eq!((rows.len(), count), (2 + TIES_MAX, 1_000));
        assert_eq!(rows[0], "0000", "the first by source stay");
        // A better document leaves the ties behind.
        let many = std::iter::repeat_n(3.0, 1_000).chain([4.0]);
        let (rows, count) = best(many, 1);
        assert_eq!((rows.join(" "), count), ("1000".into(), 1));
    }
}
