//! Reads a generated corpus from its folder, and indexes it as a retriever has it.

use super::finding::{broken, words_of};
use super::gold::{self, GoldQuestion};
use crate::Error;
use documents::record::publish_order;
use envelope::{AnswerTable, Filter, Plan, TenantId};
use index::{HybridSearcher, Index, VectorSource};
use indexer::schema::Schemas;
use linking::days::day;
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
    pub(super) tenant: TenantId,
    /// Parts of the corpus with a schema.
    pub(super) described: BTreeSet<String>,
}

impl Known {
    /// The corpus in a folder.
    pub(super) fn load(folder: &Path) -> Result<Known, Error> {
        let broken = |error| Error::Index {
            dir: folder.to_owned(),
            error,
        };
        let questions = folder.join("questions.jsonl");
        if !questions.is_file() {
            return Err(Error::NoCorpus(folder.to_owned()));
        }
        let questions = gold::read(&questions)?;
        let schemas = Schemas::load(&folder.join("schema.toml"))?;
        let index = Index::open_in_ram(&VectorSource::None).map_err(broken)?;
        index.describe(index_host::described(&schemas));
        let tenant = TenantId::default_tenant();
        let mut writer = index.writer().map_err(broken)?;
        let mut documents = 0;
        for (_, found) in documents::corpus::walk(&folder.join("documents"), &tenant) {
            // Every file of the corpus can be read; one that cannot would be missed among the documents.
            let Ok(mut document) = found else { continue };
            if let Some(table) = schemas.get(&document.bucket) {
                table.apply(&mut document);
            }
            let records = publish_order(&document, None);
            writer.apply(&records).map_err(broken)?;
            documents += 1;
        }
        writer.commit(1, "conditions").map_err(broken)?;
        let tables = schemas.tables();
        Ok(Known {
            described: tables
                .map(|(bucket, _)| bucket.as_str().to_owned())
                .collect(),
            index,
            documents,
            questions,
            tenant,
        })
    }

    /// What a question amounts to, on its day.
    pub(super) fn link(&self, question: &GoldQuestion) -> Result<LinkedQuestion, Error> {
        let number = |part: Option<&str>| part.and_then(|part| part.parse::<u16>().ok());
        let mut parts = question.today.split('-');
        let [year, month, date] = [(); 3].map(|()| number(parts.next()).unwrap_or_default());
        let [month, date] = [month, date].map(|part| u8::try_from(part).unwrap_or_default());
        let today = day(i32::from(year), month, date);
        let today = today.ok_or_else(|| Error::BadDay(question.today.clone()))?;
        let linked = self.index.link(&self.tenant, &question.question, today);
        linked.map_err(|error| self.broken(error))
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
        let one_side = [Filter::default()];
        let sides = match derived.sides.is_empty() {
            true => &one_side[..],
            false => &derived.sides[..],
        };
        for side in sides {
            let filter = derived.filter.clone().and(side.clone());
            let rows = self.index.rows(&self.tenant, &filter);
            let rows = rows.map_err(|error| self.broken(error))?;
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
                let request = words_of(&self.tenant, &question.question, derived.filter.clone());
                let plan = Plan::default();
                let idle = idle_because(searcher, &plan, request, words).await;
                match idle.map_err(|error| broken(question, error))? {
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
        let one_side = [Filter::default()];
        let sides = match derived.sides.is_empty() {
            true => &one_side[..],
            false => &derived.sides[..],
        };
        let mut results = Vec::new();
        for (at, side) in sides.iter().enumerate() {
            let request = TableRequest {
                tenant: self.tenant.clone(),
                buckets: Vec::new(),
                filter: derived.filter.clone().and(side.clone()),
                question: (**asked).clone(),
                rows_max: 1_000,
                after: None,
            };
            let result = self
                .index
                .table(&request)
                .map_err(|error| self.broken(error))?;
            results.push((named.get(at).cloned().flatten(), result));
        }
        Ok(Some(retriever::tabulated(asked, results)))
    }

    fn broken(&self, error: index::Error) -> Error {
        let dir = std::path::PathBuf::from("(in memory)");
        Error::Index { dir, error }
    }
}
