//! Puts documents that lack the column of a grouping into the groups whose values they are named by, if no schema
//! describes the column. So a group has the documents that a condition on the column would select.

use super::tally::{Scope, tally};
use super::{Index, term_query};
use crate::Error;
use envelope::lookup::FacetValue;
use envelope::{Condition, ConditionOrigin, Filter, Op};
use linking::{GroupKey, NAMED};
use search::TableRequest;
use search::filter_terms;
use std::collections::HashMap;
use std::sync::PoisonError;
use tantivy::collector::{Count, DocSetCollector};
use tantivy::query::{BooleanQuery, Occur, Query};
use tantivy::{DocAddress, Searcher, Term};

/// Most values of a column that documents are looked for by: each is a search.
const VALUES_MAX: usize = 200;

impl Index {
    /// For documents of a table that lack the column that they are grouped by, the values of it that they are called by.
    pub(super) fn named_groups(
        &self,
        searcher: &Searcher,
        request: &TableRequest,
    ) -> Result<HashMap<DocAddress, Vec<String>>, Error> {
        let mut named = HashMap::new();
        let Some(GroupKey::Column(column)) = &request.question.group else {
            return Ok(named);
        };
        if self.is_described(column) {
            return Ok(named);
        }
        let field = filter_terms::field_name(column);
        let lacking = self.lacking_heads(searcher, request, &request.filter, &field)?;
        if searcher.search(&lacking, &Count)? == 0 {
            return Ok(named);
        }
        let readable = self.readable(searcher, &request.principal)?.query;
        let heads = BooleanQuery::intersection(vec![readable, self.heads_only()]);
        let scope = Scope::of(searcher, &heads)?;
        let (values, _) = tally(searcher, self.fields.facts, &scope, &field, VALUES_MAX)?;
        for FacetValue { value, .. } in values {
            let is_called = Condition::new(
                format!("{NAMED}:{column}"),
                Op::In,
                vec![value.clone()],
                ConditionOrigin::Derived,
            );
            let filter = request.filter.clone().and(Filter(vec![is_called]));
            let query = self.lacking_heads(searcher, request, &filter, &field)?;
            let form = self.written(request, column, &value);
            for address in searcher.search(&query, &DocSetCollector)? {
                let known: &mut Vec<String> = named.entry(address).or_default();
                known.push(form.clone());
            }
        }
        Ok(named)
    }

    fn is_described(&self, column: &str) -> bool {
        let described = &self.dictionaries.described;
        let described = described.read().unwrap_or_else(PoisonError::into_inner);
        described.iter().any(|bucket| bucket.has_field(column))
    }

    /// The documents of a table for which a filter holds and that lack a field.
    pub(super) fn lacking_heads(
        &self,
        searcher: &Searcher,
        request: &TableRequest,
        filter: &Filter,
        field: &str,
    ) -> Result<BooleanQuery, Error> {
        let of = (&request.principal, &request.buckets[..], filter);
        let restricted = self.restrictions(searcher, of)?;
        let queries = restricted.queries.into_iter().chain([self.heads_only()]);
        let mut clauses: Vec<(Occur, Box<dyn Query>)> =
            queries.map(|query| (Occur::Must, query)).collect();
        let has_it = Term::from_field_text(self.fields.facts, &filter_terms::marker(field));
        clauses.push((Occur::MustNot, term_query(has_it)));
        Ok(BooleanQuery::new(clauses))
    }

    /// How documents write a value, of which only the lower case is known.
    fn written(&self, request: &TableRequest, column: &str, value: &str) -> String {
        let form = self
            .dictionaries
            .form(&request.principal.tenant, column, value);
        form.unwrap_or_else(|| value.to_owned())
    }
}
