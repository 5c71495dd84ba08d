//! Reads a generated corpus from its folder, and indexes it as a retriever has it.

use super::finding::{broken as failed, words_of};
use super::gold::GoldQuestion;
use crate::Error;
use crate::dataset::{rows, whole_day};
use crate::ground::{broken, in_memory};
use envelope::{AnswerTable, Filter, Plan, Principal, TenantId};
use index::{HybridSearcher, Index};
use indexer::schema::Schemas;
use linking::{LinkedQuestion, Tabulation};
use retriever::{DerivedFilter, idle_because};
use search::TableRequest;
use std::collections::BTreeSet;
use std::path::Path;

/// What is known, and what is asked.
pub(super) struct Known {
    pub(super) index: Index,
    pub(super) documents: usize,
    pub(super) questions: Vec<GoldQuestion>,
    pub(super) principal: Principal,
    /// Parts of the corpus with a schema.
    pub(super) described: BTreeSet<String>,
}

impl Known {
    /// The corpus in a folder.
    pub(super) fn load(folder: &Path) -> Result<Known, Error> {
        let questions = folder.join("questions.jsonl");
        if !questions.is_file() {
            return Err(Error::NoCorpus(folder.to_owned()));
        }
        let questions = rows(&questions)?;
        let schemas = Schemas::load(&folder.join("schema.toml"))?;
        let tenant = TenantId::default_tenant();
        let mut documents = 0;
        let found = documents::corpus::walk(&folder.join("documents"), &tenant);
        // Every file of the corpus can be read; one that cannot would be missed among the documents.
        let read = found.filter_map(|(_, found)| {
            let mut document = found.ok()?;
            if let Some(table) = schemas.get(&document.bucket) {
                table.apply(&mut document);
            }
            documents += 1;
            Some(document)
        });
        let index = in_memory(index_host::described(&schemas), read)?;
        let tables = schemas.tables();
        Ok(Known {
            described: tables
                .map(|(bucket, _)| bucket.as_str().to_owned())
                .collect(),
            index,
            documents,
            questions,
            principal: tenant.into(),
        })
    }

    /// What a question amounts to, on its day.
    pub(super) fn link(&self, question: &GoldQuestion) -> Result<LinkedQuestion, Error> {
        let today = whole_day(&question.today);
        let today = today.ok_or_else(|| Error::BadDay(question.today.clone()))?;
        let linked = self.index.link(&self.principal, &question.question, today);
        linked.map_err(broken)
    }

    /// The side that the questions are of: their ids begin with its name.
    pub(super) fn side(&self) -> &str {
        let first = self.questions.first();
        let side = first.and_then(|question| question.id.split('-').next());
        side.unwrap_or_default()
    }

    /// Whether a schema describes the part of the corpus that a question is about.
    pub(super) fn is_described(&self, question: &GoldQuestion) -> bool {
        let bucket = question.bucket.as_deref();
        bucket.is_some_and(|bucket| self.described.contains(bucket))
    }

    /// The sources of the documents that a question amounts to; of a comparison, those of any side.
    pub(super) fn documents(&self, linked: &LinkedQuestion) -> Result<BTreeSet<String>, Error> {
        let derived = DerivedFilter::of(linked);
        let mut sources = BTreeSet::new();
        let sides = sides(&derived);
        for side in sides {
            let filter = derived.filter.clone().and(side.clone());
            let rows = self.index.rows(&self.principal, &filter);
            let rows = rows.map_err(broken)?;
            sources.extend(rows.into_iter().map(|row| row.source));
        }
        Ok(sources)
    }

    /// The table that answers a question, if one does.
    pub(super) async fn table(
        &self,
        searcher: &HybridSearcher,
        question: &GoldQuestion,
        linked: &LinkedQuestion,
    ) -> Result<Option<AnswerTable>, Error> {
        let derived = DerivedFilter::of(linked);
        let asked = match &linked.tabulation {
            Tabulation::Fit(asked) => asked,
            Tabulation::Unsure { table, words, .. } => {
                let request = words_of(&self.principal, &question.question, derived.filter.clone());
                let plan = Plan::default();
                let idle = idle_because(searcher, &plan, request, words).await;
                match idle.map_err(|error| failed(question, error))? {
                    Some(_) => table,
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let named = linked
            .parts
            .iter()
            .map(|part| question.question.get(part.span.clone()));
        let named: Vec<Option<String>> = named.map(|said| said.map(str::to_owned)).collect();
        let sides = sides(&derived);
        let mut results = Vec::new();
        for (at, side) in sides.iter().enumerate() {
            let request = TableRequest {
                principal: self.principal.clone(),
                buckets: Vec::new(),
                filter: derived.filter.clone().and(side.clone()),
                question: (**asked).clone(),
                rows_max: 1_000,
                after: None,
            };
            let result = self.index.table(&request).map_err(broken)?;
            results.push((named.get(at).cloned().flatten(), result));
        }
        Ok(Some(retriever::tabulated(asked, results)))
    }
}

/// The conditions of each side of a comparison; none of anything else.
fn sides(derived: &DerivedFilter) -> Vec<Filter> {
    match derived.sides.is_empty() {
        true => vec![Filter::default()],
        false => derived.sides.clone(),
    }
}
