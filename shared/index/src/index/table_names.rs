//! Puts documents that lack the column of a grouping into the groups whose values they are named by, if no schema
//! describes the column. So a group has the documents that a condition on the column would select.

use super::filter::{any, restrictions};
use super::named::Name;
use super::table::as_search;
use super::tally::{Scope, tally};
use super::{Index, term_query};
use crate::Error;
use linking::GroupKey;
use search::TableRequest;
use search::filter_terms;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::PoisonError;
use tantivy::collector::{Count, DocSetCollector};
use tantivy::query::{BooleanQuery, Occur, Query};
use tantivy::{DocAddress, Searcher, Term};
use text::fold;

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
        if searcher.search(
            &self.lacking_heads(searcher, request, &field, None)?,
            &Count,
        )? == 0
        {
            return Ok(named);
        }
        let tenant = Term::from_field_text(self.fields.tenant, request.tenant.as_str());
        let heads = BooleanQuery::intersection(vec![term_query(tenant), self.heads_only()]);
        let scope = Scope::of(searcher, &heads)?;
        let (values, _) = tally(searcher, self.fields.facts, &scope, &field, VALUES_MAX)?;
        let mut legal_forms: HashMap<String, BTreeSet<String>> = HashMap::new();
        for (value, _) in &values {
            let of_key = legal_forms.entry(fold::name_key(value)).or_default();
            of_key.extend(fold::legal_form(value));
        }
        // A text also names others, so it counts only where nothing else says what the document is called.
        for is_text in [false, true] {
            let mut found: HashMap<DocAddress, Vec<String>> = HashMap::new();
            for (value, _) in &values {
                let mut names = vec![value.clone()];
                // A path mostly leaves the legal form out. If two companies differ in it alone, it may mean either, and
                // a single word may be no name: `April`.
                let is_single = fold::bare_words(value).len() < 2;
                if !is_single && legal_forms[&fold::name_key(value)].len() < 2 {
                    names.extend(self.dictionaries.called(&request.tenant, value));
                }
                let called = names.iter().map(|name| {
                    let name = Name::of(&self.fields, &Value::from(name.as_str()));
                    match is_text {
                        true => name.in_text(),
                        false => name.outside_text(),
                    }
                });
                let called = any(called.collect());
                let query = self.lacking_heads(searcher, request, &field, Some(called))?;
                let form = self.written(request, column, value);
                for address in searcher.search(&query, &DocSetCollector)? {
                    let known = found.entry(address).or_default();
                    if !known.contains(&form) {
                        known.push(form.clone());
                    }
                }
            }
            for (address, values) in found {
                named.entry(address).or_insert(values);
            }
        }
        Ok(named)
    }

    fn is_described(&self, column: &str) -> bool {
        let described = &self.dictionaries.described;
        let described = described.read().unwrap_or_else(PoisonError::into_inner);
        described.iter().any(|bucket| bucket.has_field(column))
    }

    /// The documents of a table that lack a field, or those of them that are called something.
    fn lacking_heads(
        &self,
        searcher: &Searcher,
        request: &TableRequest,
        field: &str,
        called: Option<Box<dyn Query>>,
    ) -> Result<BooleanQuery, Error> {
        let restricted = restrictions(
            searcher,
            &self.fields,
            &as_search(request, request.filter.clone()),
        )?;
        let queries = restricted.queries.into_iter().chain([self.heads_only()]);
        let queries = queries.chain(called);
        let mut clauses: Vec<(Occur, Box<dyn Query>)> =
            queries.map(|query| (Occur::Must, query)).collect();
        let has_it = Term::from_field_text(self.fields.facts, &filter_terms::marker(field));
        clauses.push((Occur::MustNot, term_query(has_it)));
        Ok(BooleanQuery::new(clauses))
    }

    /// How documents write a value, of which only the lower case is known.
    fn written(&self, request: &TableRequest, column: &str, value: &str) -> String {
        let form = self.dictionaries.form(&request.tenant, column, value);
        form.unwrap_or_else(|| value.to_owned())
    }
}
