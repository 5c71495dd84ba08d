//! Answers queries over the columns of documents, in one pass over the heads (first chunks) of the documents that match
//! a filter.
//!
//! The result is exact. The values come from the records of the heads; docs/retrieval.md says what that costs, and why
//! the index has no store of columns for it. *Not* here: how values are aggregated (`table_fold`).

use super::filter::restrictions;
use super::table_fold::{TableFold, TableHead};
use super::{Index, term_query};
use crate::Error;
use envelope::Filter;
use search::filter_terms::{self, BUILT_IN};
use search::{SearchRequest, TableRequest, TableResult};
use tantivy::collector::{Count, DocSetCollector};
use tantivy::query::{BooleanQuery, Occur, Query};
use tantivy::{DocAddress, Searcher, Term};

impl Index {
    /// Answers a query over columns, for the documents that match a filter. Blocking: reads the head of each document.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn table(&self, request: &TableRequest) -> Result<TableResult, Error> {
        let searcher = self.reader.searcher();
        let as_search = as_search(request, request.filter.clone());
        let mut restricted = restrictions(&searcher, &self.fields, &as_search)?;
        restricted.queries.push(self.heads_only());
        let heads = BooleanQuery::intersection(restricted.queries);
        let mut addresses = Vec::from_iter(searcher.search(&heads, &DocSetCollector)?);
        addresses.sort_unstable();
        let named = self.named_groups(&searcher, request)?;
        let mut fold = TableFold::new(&request.question, request.rows_max);
        for address in addresses {
            let mut head = self.table_head(&searcher, address)?;
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
            let restricted = restrictions(searcher, &self.fields, &as_search(request, others))?;
            let has_it = term_query(Term::from_field_text(
                self.fields.facts,
                &filter_terms::marker(&field),
            ));
            let mut clauses: Vec<(Occur, Box<dyn Query>)> = restricted
                .queries
                .into_iter()
                .map(|query| (Occur::Must, query))
                .collect();
            clauses.push((Occur::Must, self.heads_only()));
            clauses.push((Occur::MustNot, has_it));
            let documents = searcher.search(&BooleanQuery::new(clauses), &Count)? as u64;
            if documents > 0 {
                lacking.push((condition.field.clone(), documents));
            }
        }
        Ok(lacking)
    }

    pub(super) fn heads_only(&self) -> Box<dyn Query> {
        term_query(Term::from_field_u64(self.fields.n, 0))
    }

    fn table_head(&self, searcher: &Searcher, address: DocAddress) -> Result<TableHead, Error> {
        let read = |bytes: &[u8]| {
            serde_json::from_slice(bytes).map_err(|error| Error::Index(error.to_string()))
        };
        match self.stores.value(searcher, self.fields.record, address)? {
            Some(bytes) => read(&bytes),
            None => Ok(TableHead::from(self.stored(searcher, address)?)),
        }
    }
}

pub(super) fn as_search(request: &TableRequest, filter: Filter) -> SearchRequest {
    SearchRequest {
        tenant: request.tenant.clone(),
        buckets: request.buckets.clone(),
        filter,
        query: String::new(),
        keywords: Vec::new(),
        context: None,
        strategy: envelope::SearchStrategy::default(),
        fetch_k: 1,
        top_k: 1,
        after: None,
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
