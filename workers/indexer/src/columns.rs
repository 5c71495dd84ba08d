//! Sets the columns of a document, from its schema and from the model. Counts the values, and reports those that do
//! not fit.

use crate::extract::{Extracted, Extractor};
use crate::schema::{Misfit, SchemaResult, Schemas};
use documents::Document;
use envelope::Problem;
use std::sync::Arc;

/// The most columns that one event names.
const NAMED_MAX: usize = 8;

/// The schemas, and the extractor for what their rules do not find. The default has neither.
#[derive(Default)]
pub(crate) struct Columns {
    schemas: Arc<Schemas>,
    extractor: Option<Extractor>,
}

impl Columns {
    /// Makes the columns. An extractor that no schema needs is not kept.
    pub(crate) fn new(schemas: Schemas, extractor: Option<Extractor>) -> Columns {
        Columns {
            extractor: extractor.filter(|_| schemas.asks_model()),
            schemas: Arc::new(schemas),
        }
    }

    pub(crate) fn schemas(&self) -> Arc<Schemas> {
        self.schemas.clone()
    }

    /// The name that tells documents with these columns from others; `None` without a schema.
    pub(crate) fn name(&self) -> Option<String> {
        let asked = self.extractor.as_ref().map(Extractor::name);
        let asked = asked.map_or_else(String::new, |name| format!("+{name}"));
        (!self.schemas.is_empty()).then(|| format!("{}{asked}", self.schemas.name()))
    }

    /// Asks the model for the missing columns. Returns what became of the columns, and what was left out.
    pub(crate) async fn complete(
        &self,
        document: &mut Document,
        applied: SchemaResult,
    ) -> (stage::Columns, Option<Problem>) {
        let table = self.schemas.get(&document.bucket);
        let extracted = match (&self.extractor, table) {
            (Some(extractor), Some(table)) => {
                extractor.ask(table, &applied.missing, document).await
            }
            _ => Extracted::default(),
        };
        (count(&applied, &extracted), problem(&applied, &extracted))
    }
}

fn count(applied: &SchemaResult, extracted: &Extracted) -> stage::Columns {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    stage::Columns {
        found: applied.found + extracted.found,
        missing: number(applied.missing.len()).saturating_sub(extracted.found),
        misfit: number(applied.misfits.len() + extracted.misfits.len()),
        invented: number(extracted.invented.len()),
        unanswered: u32::from(extracted.failed.is_some()),
    }
}

/// One problem for all columns, under the code of the worst one: a value that does not fit comes before a call
/// that failed.
fn problem(applied: &SchemaResult, extracted: &Extracted) -> Option<Problem> {
    let misfits = [&applied.misfits, &extracted.misfits, &extracted.invented];
    let misfits: Vec<&Misfit> = misfits.into_iter().flatten().collect();
    let mut words: Vec<String> = misfits
        .iter()
        .take(NAMED_MAX)
        .map(|misfit| misfit.to_string())
        .collect();
    if misfits.len() > NAMED_MAX {
        words.push(format!("{} more", misfits.len() - NAMED_MAX));
    }
    if !words.is_empty() {
        words[0] = format!("left out by the schema: {}", words[0]);
    }
    let failed = extracted.failed.as_ref();
    words.extend(failed.map(|(_, text)| text.clone()));
    let code = match (misfits.is_empty(), failed) {
        (false, _) => "schema_misfit",
        (true, Some((code, _))) => code,
        (true, None) => return None,
    };
    Some(Problem::new(code, words.join("; ")))
}
