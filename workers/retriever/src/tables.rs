//! Answers a question about documents with an exact table of their columns, if a table can answer it.
//!
//! Only the user's own conditions and those that the question states narrow the table; a condition that the planner
//! guessed could make it wrong. No condition is relaxed. *Not* here: which table a question asks for (`linking`), and
//! how rows become a table (`table_rows`).

use crate::by_name;
use crate::derived::DerivedFilter;
use crate::idle_words::{idle_because, is_unsaid};
use crate::stage::{BEHIND_ATTEMPT, Retriever};
use crate::table_rows::{self, Side};
use crate::unclear::back;
use crate::worded;
use envelope::hop::RetrieverExit;
use envelope::table::{Listing, csv};
use envelope::{After, AnswerForm, Doubt, Fallback, Filter, Plan, limits};
use linking::{
    ColumnOperation, GroupKey, LinkedQuestion, TOO_MANY_VALUES, TableQuestion, Tabulation,
};
use search::{TableRequest, TableResult};
use stage::{Attachment, StepContext, StepOutput};

/// Most rows of one table, in its file.
const ROWS_MAX: usize = 10_000;
/// The most values of each facet that are suggested.
const FACET_VALUES_MAX: usize = 6;
/// The name of a table's file.
const FILE: &str = "table.csv";

/// Whether a table answers the question.
pub(crate) enum Tabled {
    /// A table answers, or the user has to choose.
    Done(Box<StepOutput<RetrieverExit>>),
    /// No table answers; the reason for the trail, which may be empty, and what the user should know.
    Not(String, Option<Fallback>),
}

/// What an answer says of the values of a list that are too many for a condition.
fn beyond_limit(linked: &LinkedQuestion) -> Option<String> {
    let mut beyond = linked
        .dropped
        .iter()
        .filter(|(_, why)| *why == TOO_MANY_VALUES);
    let (first, _) = beyond.next()?;
    let further = match beyond.count() {
        0 => String::new(),
        further => format!(" and {}", text::count(further as u64, "further value")),
    };
    Some(format!(
        "Left out: `{first}`{further}, since the question has {TOO_MANY_VALUES}."
    ))
}

impl Retriever {
    /// The table that answers a question, if one does.
    pub(crate) async fn tabled(
        &self,
        cx: &StepContext,
        plan: &Plan,
        linked: &LinkedQuestion,
        derived: &DerivedFilter,
    ) -> Result<Tabled, stage::Error> {
        let mut left_out = None;
        let said = match &linked.tabulation {
            Tabulation::Unsure {
                table,
                words,
                why,
                facets,
            } => match self.idle(cx, plan, derived, words).await? {
                Some(because) => {
                    left_out = Some(format!(
                        "Left out of account, since {because}: `{}`.",
                        words.join("`, `")
                    ));
                    &**table
                }
                None => {
                    let why = (why.as_str(), None);
                    return self.unfit(cx, plan, linked, derived, why, facets).await;
                }
            },
            Tabulation::None => return Ok(Tabled::Not(String::new(), None)),
            Tabulation::Unfit { why, name, facets } => {
                let why = (why.as_str(), name.as_deref());
                return self.unfit(cx, plan, linked, derived, why, facets).await;
            }
            Tabulation::Ambiguous { said, columns } => {
                // Who has chosen already, and still means several, is searched for.
                if cx.header.parent.is_some() {
                    return Ok(not(format!("`{said}` fits several columns")));
                }
                return Ok(ambiguous(cx, said, columns));
            }
            Tabulation::Fit(question) => &**question,
        };
        let asked = cx.case.question.best();
        if said.operation == ColumnOperation::List && asks_when(asked) {
            return Ok(not("the question is for what a document says"));
        }
        // The reply to a question back has not said which column is meant, or which of two conditions.
        let is_open = linked.ambiguous.iter().any(|one| one.is_of_columns);
        if is_open || !linked.contradictory.is_empty() {
            return Ok(not("it is still open which documents are meant"));
        }
        if derived.dropped.len() > linked.dropped.len() {
            return Ok(not("a condition is none of a filter"));
        }
        let labels = linked.parts.iter().map(|part| part.span.clone());
        let labels: Vec<String> = labels
            .map(|span| asked.get(span).unwrap_or_default().to_owned())
            .collect();
        let one_side = [Filter::default()];
        let filters = match derived.sides.is_empty() {
            true => &one_side[..],
            false => &derived.sides[..],
        };
        let mut sides = Vec::with_capacity(filters.len());
        let (mut behind, mut by_name) = (None, 0);
        for (at, side) in filters.iter().enumerate() {
            let filter = filter_of(cx, derived).and(side.clone());
            let request = self.table_request(cx, filter.clone(), said.clone());
            let (result, late) = self.table_current(cx, request).await?;
            behind = behind.or(late);
            by_name += self.by_name(cx, &filter, &result).await?;
            let label = labels
                .get(at)
                .filter(|_| !derived.sides.is_empty())
                .cloned();
            sides.push(Side { label, result });
        }
        let mut results = sides.iter().map(|side| &side.result);
        if results.all(|result| result.documents == 0 && !result.unlike_fields.is_empty()) {
            // Why that is so is told with a question back.
            return Ok(not("a condition holds for nothing"));
        }
        if let Some(measure) = &said.measure
            && sides.iter().all(|side| lacks(&side.result, measure))
        {
            // The text of a document may say what its columns do not.
            return Ok(not(format!("no document of them has `{measure}`")));
        }
        let likened = said.likened.iter();
        let likened = likened.map(|(words, column)| {
            let column = worded::column(column);
            format!("`{words}` was taken for {column}.")
        });
        let unsorted = said.unsorted.iter().map(|column| {
            let column = worded::column(column);
            format!("The documents are not sorted by {column}.")
        });
        let notices = left_out
            .into_iter()
            .chain(likened)
            .chain(unsorted)
            .chain(beyond_limit(linked))
            .chain(by_name::told(by_name))
            .collect();
        let mut done = listed(cx, plan, linked, derived, said, sides, notices)?;
        done.fallbacks.splice(0..0, behind);
        Ok(Tabled::Done(Box::new(done)))
    }

    /// How many documents of a result lack a field of the filter and are in it by what they are called.
    async fn by_name(
        &self,
        cx: &StepContext,
        filter: &Filter,
        result: &TableResult,
    ) -> Result<u64, stage::Error> {
        let Some(exact) = by_name::exact(filter).filter(|_| result.documents > 0) else {
            return Ok(0);
        };
        let count = TableQuestion {
            operation: ColumnOperation::Count,
            ..TableQuestion::default()
        };
        let request = self.table_request(cx, exact, count);
        let (having, _) = self.table_current(cx, request).await?;
        Ok(by_name::rest(filter, result.documents, &having))
    }

    /// What becomes of a question that no table answers: the reason, and the name among its words that no column has.
    async fn unfit(
        &self,
        cx: &StepContext,
        plan: &Plan,
        linked: &LinkedQuestion,
        derived: &DerivedFilter,
        (why, name): (&str, Option<&str>),
        facets: &[GroupKey],
    ) -> Result<Tabled, stage::Error> {
        if let Some(name) = name
            && let Some(unknown) = self.unknown(cx, plan, name).await?
        {
            return Ok(unknown);
        }
        let is_of_all = worded::asks_of_all(plan, cx.case.question.best()) || linked.is_bare;
        let asks = match is_of_all {
            true => self.asks_too_much(cx, derived, why, facets).await?,
            false => None,
        };
        Ok(asks.unwrap_or_else(|| not(why)))
    }

    /// Asks back at once where a question for documents names something that no document says. The search for the name
    /// is without the other conditions, so that nothing but the name can be missing.
    async fn unknown(
        &self,
        cx: &StepContext,
        plan: &Plan,
        name: &str,
    ) -> Result<Option<Tabled>, search::Error> {
        let is_first = cx.header.parent.is_none() && cx.header.round == 0;
        if !is_first || !cx.case.scatters.is_empty() {
            return Ok(None);
        }
        let filter = cx.case.filter.clone();
        let request = self.request(cx, plan, After::Map, filter, self.after(cx));
        let is_unsaid = is_unsaid(&*self.searcher, request, name).await;
        if !unless_behind(cx, is_unsaid)?.unwrap_or(false) {
            return Ok(None);
        }
        let doubt = Doubt::NotInDocuments {
            query: cx.case.question.best().to_owned(),
            missing: vec![name.to_owned()],
            tried: vec![format!("a search for `{name}`")],
        };
        let decided = format!("no document says `{name}`");
        Ok(Some(Tabled::Done(Box::new(back(doubt, decided)))))
    }

    /// Why words without a place in a table may be left out of account, if they may.
    async fn idle(
        &self,
        cx: &StepContext,
        plan: &Plan,
        derived: &DerivedFilter,
        words: &[String],
    ) -> Result<Option<&'static str>, search::Error> {
        let filter = filter_of(cx, derived);
        let request = self.request(cx, plan, After::Map, filter, self.after(cx));
        let because = idle_because(&*self.searcher, plan, request, words).await;
        Ok(unless_behind(cx, because)?.flatten())
    }

    fn table_request(
        &self,
        cx: &StepContext,
        filter: Filter,
        question: TableQuestion,
    ) -> TableRequest {
        TableRequest {
            principal: cx.header.principal(),
            buckets: cx.case.buckets.clone(),
            filter,
            question,
            rows_max: ROWS_MAX,
            after: self.after(cx),
        }
    }

    /// The table of an index that has the documents that the question wants to be searched. In the end it is that of
    /// an index that is behind, and the trail says so.
    async fn table_current(
        &self,
        cx: &StepContext,
        request: TableRequest,
    ) -> Result<(TableResult, Option<Fallback>), search::Error> {
        match self.searcher.table(&request).await {
            Err(search::Error::Behind { wanted, at }) if cx.attempt >= BEHIND_ATTEMPT => {
                let request = TableRequest {
                    after: None,
                    ..request
                };
                let result = self.searcher.table(&request).await?;
                Ok((result, Some(Fallback::SearchedBehind { wanted, at })))
            }
            other => Ok((other?, None)),
        }
    }

    /// Asks back where a question is about all documents that satisfy conditions, or says nothing by which one of them
    /// fits better than another, and there are too many of them to write an answer from.
    async fn asks_too_much(
        &self,
        cx: &StepContext,
        derived: &DerivedFilter,
        why: &str,
        facets: &[GroupKey],
    ) -> Result<Option<Tabled>, stage::Error> {
        let filter = filter_of(cx, derived);
        let is_narrowed = filter.0.iter().any(|condition| condition.field != "bucket");
        let question = cx.case.question.best();
        if !is_narrowed || cx.header.round > 0 {
            return Ok(None);
        }
        let count = |group| TableQuestion {
            operation: ColumnOperation::Count,
            group,
            ..TableQuestion::default()
        };
        let request = self.table_request(cx, filter.clone(), count(None));
        let documents = self.table_current(cx, request).await?.0.documents;
        if documents <= self.options.too_many {
            return Ok(None);
        }
        // Nobody is asked twice.
        if cx.header.parent.is_some() {
            let many = Fallback::ManyDocuments { documents };
            return Ok(Some(Tabled::Not(format!("; no table: {why}"), Some(many))));
        }
        let (mut told, mut choices) = (Vec::new(), Vec::new());
        for facet in facets {
            let request = self.table_request(cx, filter.clone(), count(Some(facet.clone())));
            let (result, _) = self.table_current(cx, request).await?;
            let Some(facet) = table_rows::facet(facet, result.groups, FACET_VALUES_MAX) else {
                continue;
            };
            if choices.is_empty() {
                choices = facet.values;
            }
            told.push(facet.text);
        }
        let doubt = Doubt::TooMany {
            query: question.to_owned(),
            documents,
            narrowed_by: worded::conditions(&filter),
            facets: told,
            choices,
        };
        let decided = format!("{documents} documents are too many; no table: {why}");
        Ok(Some(Tabled::Done(Box::new(back(doubt, decided)))))
    }
}

/// A result, unless the index lacks documents that the question wants to be searched. The step then goes to another
/// replica, and in the end nothing is concluded from what such an index does not find.
fn unless_behind<T>(
    cx: &StepContext,
    result: Result<T, search::Error>,
) -> Result<Option<T>, search::Error> {
    match result {
        Err(search::Error::Behind { .. }) if cx.attempt >= BEHIND_ATTEMPT => Ok(None),
        other => other.map(Some),
    }
}

/// The conditions of the question and those that its words say.
fn filter_of(cx: &StepContext, derived: &DerivedFilter) -> Filter {
    cx.case.filter.clone().and(derived.filter.clone())
}

fn not(why: impl std::fmt::Display) -> Tabled {
    Tabled::Not(format!("; no table: {why}"), None)
}

/// Whether a question asks for a time or a reason. A list of the documents that tell it would be no answer.
fn asks_when(question: &str) -> bool {
    let question = question.trim_start().to_lowercase();
    ["when ", "until when ", "since when ", "how long ", "why "]
        .iter()
        .any(|start| question.starts_with(start))
}

/// Whether there are documents, and none of them has the column.
fn lacks(result: &TableResult, column: &str) -> bool {
    let missing = result.missing.iter().find(|(field, _)| field == column);
    result.documents > 0 && missing.is_some_and(|(_, count)| *count == result.documents)
}

fn ambiguous(cx: &StepContext, said: &str, columns: &[String]) -> Tabled {
    let decided = format!("`{said}` fits {}", columns.join(", "));
    let doubt = Doubt::Ambiguous {
        query: cx.case.question.best().to_owned(),
        said: said.to_owned(),
        columns: columns
            .iter()
            .map(|column| worded::column(column))
            .collect(),
    };
    Tabled::Done(Box::new(back(doubt, decided)))
}

/// The exit with its table, and with a file if the message does not carry all rows or has shortened a cell.
fn listed(
    cx: &StepContext,
    plan: &Plan,
    linked: &LinkedQuestion,
    derived: &DerivedFilter,
    question: &TableQuestion,
    sides: Vec<Side>,
    mut notices: Vec<String>,
) -> stage::StepResult<RetrieverExit> {
    let results = || sides.iter().map(|side| &side.result);
    let unknown: Vec<String> = results().flat_map(|r| r.unknown_fields.clone()).collect();
    let unlike: Vec<String> = results().flat_map(|r| r.unlike_fields.clone()).collect();
    let called: u64 = results().map(|result| result.called).sum();
    let mut made = table_rows::table(question, sides);
    let known = |mut filter: Filter| {
        let conditions = &mut filter.0;
        conditions.retain(|condition| !unknown.contains(&condition.field));
        filter
    };
    let either: Vec<Filter> = derived.sides.iter().cloned().map(known).collect();
    let all = known(filter_of(cx, derived));
    made.table.conditions.extend(worded::sides(&either));
    made.table.conditions.extend(worded::conditions(&all));
    if !cx.case.buckets.is_empty() {
        let buckets = cx.case.buckets.iter().map(|bucket| bucket.as_str());
        let buckets: Vec<&str> = buckets.collect();
        made.table
            .conditions
            .push(format!("bucket is {}", buckets.join(" or ")));
    }
    for field in &unlike {
        let told = format!(
            "`{field}` holds no values to compare with that; the condition holds for nothing."
        );
        if !notices.contains(&told) {
            notices.push(told);
        }
    }
    if called > 0 {
        let told =
            format!("{called} of them lack that column and are grouped by what they are called.");
        notices.push(told);
    }
    let mut file = None;
    if made.table.is_cut() || made.is_shortened {
        let (text, rows) = whole(&made.table.columns, &made.all);
        if (rows as u64) < made.table.rows_total {
            notices.push(format!(
                "The file has the first {rows} of {} rows.",
                made.table.rows_total
            ));
        }
        let attachment = Attachment::new(&cx.header, FILE, "text/csv", text.into_bytes().into())?;
        made.table.file = Some(attachment.file.clone());
        file = Some(attachment);
    }
    let decided = format!(
        "listed: {} of {}{}",
        made.table.operation.as_str(),
        text::count(made.table.documents, "document"),
        question
            .group
            .as_ref()
            .map_or(String::new(), |group| format!(
                " by {}",
                group.column_title()
            ))
    );
    let noun = linked.bucket.clone().unwrap_or_default();
    let form = match plan.form {
        AnswerForm::Prose => worded::form(cx.case.question.best()),
        form => form,
    };
    let listing = Listing {
        table: made.table,
        sources: made.sources,
        digest: made.digest,
        noun,
        form,
        notices,
    };
    let mut done = StepOutput::new(RetrieverExit::Listed(Box::new(listing)), decided);
    let mut told: Vec<&String> = Vec::new();
    for field in &unknown {
        if !told.contains(&field) {
            told.push(field);
            let field = field.clone();
            done.fallbacks.push(Fallback::FilterUnknownField { field });
        }
    }
    done.files.extend(file);
    Ok(done)
}

/// All rows as CSV, as far as a file takes them, and their number.
fn whole(columns: &[String], all: &[Vec<serde_json::Value>]) -> (String, usize) {
    let mut rows = all.len();
    loop {
        let text = csv(columns, all[..rows].iter().map(Vec::as_slice));
        if text.len() <= limits::ATTACHMENT_BYTES_MAX {
            return (text, rows);
        }
        rows /= 2;
    }
}

#[cfg(test)]
#[path = "tables_reply_tests.rs"]
mod reply_tests;
#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
