//! `argosy schema`: checks a schema, and shows which values it finds in a file. It stores nothing.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::out::{notice, println};
use crate::render;
use documents::document::bucket_of;
use documents::reader::read_documents;
use envelope::{Bucket, TenantId};
use indexer::schema::{Attempt, Column, ColumnTrace, RulePlace, SchemaError, Schemas, Table};
use owo_colors::OwoColorize;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The most documents of one file that are shown.
const DOCUMENTS_MAX: usize = 10;

/// A column as it is shown.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    column: &'a str,
    r#type: &'a str,
    unit: Option<&'a str>,
    description: &'a str,
    synonyms: &'a [String],
    rules: Vec<&'a str>,
    model: bool,
}

/// A document, and the values that were found in it.
#[derive(Debug, Serialize)]
struct Tried {
    source: String,
    bucket: Bucket,
    columns: Vec<ColumnTrace>,
}

/// Reads schemas and lists their columns.
pub fn check(args: &cli::SchemaCheckArgs, output: Output) -> Result<(), CliError> {
    let schemas = load(&args.schema)?;
    let buckets: BTreeMap<&str, Vec<Shown<'_>>> = schemas
        .tables()
        .map(|(bucket, table)| (bucket.as_str(), table.columns.iter().map(shown).collect()))
        .collect();
    let tables = || schemas.tables();
    let described = tables().filter(|(_, table)| !table.description.is_empty());
    let descriptions: BTreeMap<&str, &str> = described
        .map(|(bucket, table)| (bucket.as_str(), table.description.as_str()))
        .collect();
    let named = tables().filter(|(_, table)| !table.synonyms.is_empty());
    let synonyms: BTreeMap<&str, &[String]> = named
        .map(|(bucket, table)| (bucket.as_str(), &table.synonyms[..]))
        .collect();
    if output == Output::Json {
        render::json(&serde_json::json!({
            "name": schemas.name(), "buckets": buckets, "descriptions": descriptions, "synonyms": synonyms,
        }));
        return Ok(());
    }
    let mut rows = vec![["bucket", "column", "type", "rules"].map(str::to_owned)];
    for (bucket, columns) in &buckets {
        rows.extend(columns.iter().map(|column| row(bucket, column)));
    }
    let mut lines = table(&rows).into_iter();
    println!("{}", lines.next().unwrap_or_default().bold());
    lines.for_each(|line| println!("{line}"));
    for (bucket, description) in descriptions {
        println!("{} {description}", format!("{bucket}:").bold());
    }
    for (bucket, names) in synonyms {
        println!(
            "{} also called {}",
            format!("{bucket}:").bold(),
            names.join(", ")
        );
    }
    for (bucket, columns) in &buckets {
        for column in columns.iter().filter(|column| !column.synonyms.is_empty()) {
            let name = format!("{bucket}.{}:", column.column);
            println!("{} also called {}", name.bold(), column.synonyms.join(", "));
        }
    }
    Ok(())
}

/// Shows what each rule finds in one file.
pub fn attempt(args: &cli::SchemaTryArgs, output: Output) -> Result<(), CliError> {
    let schemas = load(&args.schema)?;
    let (bucket, source) = placed(&schemas, args)?;
    let table = schemas
        .get(&bucket)
        .ok_or_else(|| no_bucket(&schemas, &bucket))?;
    let (mut all, mut skips) = (Vec::new(), Vec::new());
    for found in read_documents(&args.document, &source, &TenantId::default_tenant()) {
        if all.len() == DOCUMENTS_MAX {
            let first = format!("only the first {DOCUMENTS_MAX} documents are shown");
            notice!("{} {first}", "note:".yellow());
            break;
        }
        match found {
            Ok(document) => all.push(Tried {
                columns: table.trace(&document),
                source: document.source,
                bucket: bucket.clone(),
            }),
            Err(skip) => skips.push(skip),
        }
    }
    if all.is_empty() {
        let why = skips.iter().map(|skip| format!(": {}", skip.reason)).next();
        let text = format!("nothing can be read of `{}`", args.document.display());
        return Err(CliError::not_found(text + &why.unwrap_or_default()));
    }
    for skip in &skips {
        notice!("{} {}: {}", "skipped:".yellow(), skip.source, skip.reason);
    }
    match output {
        Output::Json => render::json(&all),
        _ => all.iter().for_each(|tried| show(tried, table)),
    }
    Ok(())
}

fn load(path: &Path) -> Result<Schemas, CliError> {
    Schemas::load(path).map_err(|error| match error {
        SchemaError::Unreadable { .. } | SchemaError::Files { .. } => {
            CliError::not_found(error.to_string())
        }
        SchemaError::Wrong(_) | SchemaError::Twice { .. } => CliError::negative(error.to_string()),
    })
}

fn no_bucket(schemas: &Schemas, bucket: &Bucket) -> CliError {
    let known: Vec<String> = schemas
        .tables()
        .map(|(bucket, _)| format!("`{bucket}`"))
        .collect();
    CliError::not_found(format!("the schema has no bucket `{bucket}`"))
        .hint(format!("name one of {} with --bucket", known.join(", ")))
}

/// The bucket of a file and its path in the bucket: the bucket that is named, else the folder above the file that the
/// schema knows, else the only bucket of the schema.
fn placed(schemas: &Schemas, args: &cli::SchemaTryArgs) -> Result<(Bucket, String), CliError> {
    let names = args.document.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let names: Vec<&str> = names.collect();
    let file = names.last().copied().unwrap_or_default();
    let inside = |bucket: &Bucket| (bucket.clone(), format!("{bucket}/{file}"));
    if let Some(name) = &args.bucket {
        let bucket = Bucket::new(name.as_str());
        return bucket
            .map(|b| inside(&b))
            .map_err(|e| CliError::usage(format!("--bucket: {e}")));
    }
    for from in 0..names.len() {
        let source = names[from..].join("/");
        let bucket = bucket_of(&source);
        if from + 1 < names.len() && schemas.get(&bucket).is_some() {
            return Ok((bucket, source));
        }
    }
    let mut tables = schemas.tables();
    match (tables.next(), tables.next()) {
        (Some((bucket, _)), None) => Ok(inside(bucket)),
        _ => Err(no_bucket(schemas, &bucket_of(file))),
    }
}

fn shown(column: &Column) -> Shown<'_> {
    Shown {
        column: &column.name,
        r#type: column.form.kind.as_str(),
        unit: column.form.unit.as_deref(),
        description: &column.description,
        synonyms: &column.synonyms,
        rules: column.rules().collect(),
        model: column.is_asked,
    }
}

fn row(bucket: &str, column: &Shown<'_>) -> [String; 4] {
    let kind = match column.unit {
        Some(unit) => format!("{} ({unit})", column.r#type),
        None => column.r#type.to_owned(),
    };
    let model = column.model.then_some("the model");
    let rules: Vec<&str> = column.rules.iter().copied().chain(model).collect();
    let rules = match rules.is_empty() {
        true => "only what the publisher says".to_owned(),
        false => rules.join("; "),
    };
    [bucket.to_owned(), column.column.to_owned(), kind, rules]
}

/// Cells in columns as wide as they need to be; the last column is not padded.
fn table(rows: &[[String; 4]]) -> Vec<String> {
    let [a, b, c, _] = render::widths(rows);
    let line = |[bucket, column, kind, rules]: &[String; 4]| {
        format!("{bucket:<a$}  {column:<b$}  {kind:<c$}  {rules}")
    };
    rows.iter().map(line).collect()
}

fn show(tried: &Tried, table: &Table) {
    println!(
        "{} {}",
        tried.source.bold(),
        format!("(bucket {})", tried.bucket).dimmed()
    );
    for (trace, column) in tried.columns.iter().zip(&table.columns) {
        let value = match (&trace.value, trace.asks_model) {
            (Some(value), _) => value.to_string().green().to_string(),
            (None, true) => "nothing: the model is asked".yellow().to_string(),
            (None, false) => "nothing".yellow().to_string(),
        };
        println!(
            "{} {} = {value}",
            trace.column,
            format!("({})", column.form.kind.as_str()).dimmed()
        );
        let mut is_taken = false;
        for attempt in &trace.attempts {
            let is_first = attempt.value.is_some() && !is_taken;
            is_taken |= is_first;
            println!(
                "  {} {}: {}",
                if is_first { ">" } else { "-" },
                attempt.rule,
                outcome(attempt)
            );
        }
    }
}

fn outcome(attempt: &Attempt) -> String {
    let place = attempt.place.as_ref().map(place).unwrap_or_default();
    match (&attempt.value, &attempt.said) {
        (Some(value), Some(said)) => format!("{} {}", value, format!("({place}: {said})").dimmed()),
        (None, Some(why)) => format!("{why} {}", format!("({place})").dimmed()),
        _ => "nothing".to_owned(),
    }
}

fn place(place: &RulePlace) -> String {
    match place {
        RulePlace::Metadata(field) => format!("field {field}"),
        RulePlace::Title => "title".to_owned(),
        RulePlace::Path => "path".to_owned(),
        RulePlace::Line(line, None) => format!("line {line}"),
        RulePlace::Line(line, Some(page)) => format!("line {line}, page {page}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bucket_is_named_or_a_folder_above_or_the_only_one() {
        let one = Schemas::parse("f", "[invoices.n]\ntype = \"text\"").unwrap();
        let two = "[invoices.n]\ntype = \"text\"\n[mail.n]\ntype = \"text\"";
        let two = Schemas::parse("f", two).unwrap();
        let of = |schemas: &Schemas, document: &str, bucket: Option<&str>| {
            let args = cli::SchemaTryArgs {
                schema: "f".into(),
                document: document.into(),
                bucket: bucket.map(str::to_owned),
            };
            placed(schemas, &args)
                .map(|(_, source)| source)
                .map_err(|fail| fail.exit)
        };
        assert_eq!(
            of(&two, "/a/mail/2024/b.md", None).as_deref(),
            Ok("mail/2024/b.md")
        );
        assert_eq!(of(&two, "./b.md", Some("mail")).as_deref(), Ok("mail/b.md"));
        assert_eq!(of(&one, "x/b.md", None).as_deref(), Ok("invoices/b.md"));
        assert_eq!(of(&two, "x/b.md", None), Err(3));
        assert_eq!(of(&two, "x/mail", None), Err(3), "a file, no folder");
        assert_eq!(of(&two, "b.md", Some("a b")), Err(2));
    }
}
