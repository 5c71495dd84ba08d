//! Answers queries over the columns of documents, in one pass over the heads (first chunks) of the documents that match
//! a filter.
//!
//! The result is exact. The values come from the records of the heads; docs/retrieval.md says what that costs, and why
//! the index has no store of columns for it. *Not* here: how values are aggregated (`table_fold`).

use super::table_fold::{TableFold, TableHead};
use super::{Index, term_query};
use crate::Error;
use search::filter_terms::{self, BUILT_IN};
use search::{TableRequest, TableResult};
use tantivy::collector::{Count, DocSetCollector};
use tantivy::query::{BooleanQuery, Query};
use tantivy::{Searcher, Term};

impl Index {
    /// Answers a query over columns, for the documents that match a filter. Blocking: reads the head of each document.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn table(&self, request: &TableRequest) -> Result<TableResult, Error> {
        let searcher = self.reader.searcher();
        let of = (&request.principal, &request.buckets[..], &request.filter);
        let mut restricted = self.restrictions(&searcher, of)?;
        restricted.queries.push(self.heads_only());
        let heads = BooleanQuery::intersection(restricted.queries);
        let mut addresses = Vec::from_iter(searcher.search(&heads, &DocSetCollector)?);
        addresses.sort_unstable();
        let named = self.named_groups(&searcher, request)?;
        let mut fold = TableFold::new(&request.question, request.rows_max);
        for address in addresses {
            let mut head: TableHead = self.stored(&searcher, address)?;
            if let Some(values) = named.get(&address) {
                head.is_called(&request.question, values);
            }
            fold.add(head);
        }
        let mut result = fold.done();
        for (field, documents) in self.lacking(&searcher, request, &restricted.unknown_fields)? {
            match result.missing.iter_mut().find(|(known, _)| *known == field) {
                Some((_, known)) => *known += documents,
                None => result.missing.push((field, documents)),
            }
        }
        result.called = named.len() as u64;
        result.unknown_fields = restricted.unknown_fields;
        result.unlike_fields = restricted.unlike_fields;
        Ok(result)
    }

    /// How many documents lack a field that a condition is on, of those for which the other conditions hold.
    fn lacking(
        &self,
        searcher: &Searcher,
        request: &TableRequest,
        unknown: &[String],
    ) -> Result<Vec<(String, u64)>, Error> {
        let mut lacking: Vec<(String, u64)> = Vec::new();
        for condition in &request.filter.0 {
            let field = filter_terms::field_name(&condition.field);
            // What documents are called stands in for a field that they lack.
            let has_other_ways =
                filter_terms::named_field(&field).is_some() || field == linking::NAMED;
            let is_counted = lacking.iter().any(|(known, _)| *known == condition.field);
            if has_other_ways
                || is_counted
                || BUILT_IN.contains(&field.as_str())
                || unknown.contains(&condition.field)
            {
                continue;
            }
            let mut others = request.filter.clone();
            others.0.retain(|other| other.field != condition.field);
            let query = self.lacking_heads(searcher, request, &others, &field)?;
            let documents = searcher.search(&query, &Count)? as u64;
            if documents > 0 {
                lacking.push((condition.field.clone(), documents));
            }
        }
        Ok(lacking)
    }

    pub(super) fn heads_only(&self) -> Box<dyn Query> {
        term_query(Term::from_field_u64(self.fields.n, 0))
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
