//! `argosy search`, `argosy catalog` and `argosy show`: show what is in the corpus, without asking a question.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::asking::{filters, given};
use crate::command::place::{Folder, Place, only_default_tenant};
use crate::config::Config;
use crate::render;
use crate::render::found::{self, Shown};
use bus::Bus;
use envelope::DocId;
use envelope::lookup::{CorpusCatalog, CountReply, DocumentReply, SearchReply};
use envelope::subject::{CATALOG, COUNT, METADATA, SEARCH};
use serde_json::{Map, Value, json};
use streams::client::lookup;

/// Characters of a passage that people are shown.
const SHOWN_CHARS: u64 = 200;

/// Searches, counts, or both.
pub async fn search(args: cli::SearchArgs, config: Config, output: Output) -> Result<(), CliError> {
    let place = open(&args.place, &config, output).await?;
    let shown = look(place.bus(), &args, output).await;
    place.close().await;
    found::print(&shown?, args.query.as_deref().unwrap_or_default(), output);
    Ok(())
}

/// Shows the buckets and their columns.
pub async fn catalog(
    args: cli::CatalogArgs,
    config: Config,
    output: Output,
) -> Result<(), CliError> {
    let place = open(&args.place, &config, output).await?;
    let request = json!({
        "tenant": args.place.tenant, "groups": args.place.groups, "buckets": args.buckets,
        "values_max": args.values,
    });
    let catalog = lookup::ask::<CorpusCatalog>(place.bus(), CATALOG, &request).await;
    place.close().await;
    render::catalog::print(&catalog?, output);
    Ok(())
}

/// Shows what is known of one document.
pub async fn show(args: cli::ShowArgs, config: Config, output: Output) -> Result<(), CliError> {
    let place = open(&args.place, &config, output).await?;
    let (field, named) = document(&args.document);
    let request = json!({"tenant": args.place.tenant, "groups": args.place.groups, field: named});
    let document = lookup::ask::<DocumentReply>(place.bus(), METADATA, &request).await;
    place.close().await;
    found::print_document(&document?, output);
    Ok(())
}

/// The kind of a document's name: an id holds no dot and no slash, a path has one of them.
fn document(named: &str) -> (&'static str, &str) {
    let named = named.trim();
    match DocId::new(named) {
        Ok(_) => ("doc_id", named),
        Err(_) => ("source", named),
    }
}

async fn look(bus: &dyn Bus, args: &cli::SearchArgs, output: Output) -> Result<Shown, CliError> {
    let conditions = conditions(args)?;
    let mut shown = Shown {
        search: None,
        count: None,
    };
    if let Some(query) = &args.query {
        let people = (output == Output::Text).then_some(SHOWN_CHARS);
        let mut request = conditions.clone();
        request.extend(given(json!({
            "query": query,
            "top_k": args.top,
            "strategy": args.strategy,
            // Not said where it is the default: a fleet of before knows no such field.
            "link": args.no_link.then_some(false),
            "explain": args.explain.then_some(true),
            "context_chars": args.context_chars.or(people),
        })));
        if let Some(named) = &args.doc {
            let (field, named) = document(named);
            request.insert(field.into(), named.into());
        }
        let found: SearchReply = lookup::ask(bus, SEARCH, &request.into()).await?;
        known(&found.unknown_fields, &found.known_fields)?;
        shown.search = Some(found);
    }
    if args.count || !args.facets.is_empty() {
        let mut request = conditions;
        request.insert("facets".into(), args.facets.clone().into());
        request.insert("values_max".into(), args.values.into());
        let counted: CountReply = lookup::ask(bus, COUNT, &request.into()).await?;
        known(&counted.unknown_fields, &counted.known_fields)?;
        shown.count = Some(counted);
    }
    let found = shown.search.as_ref().map_or(0, |one| one.passages.len());
    let counted = shown.count.as_ref().map_or(0, |one| one.documents);
    if !args.buckets.is_empty() && found == 0 && counted == 0 {
        // A bucket that is misspelt is an error there, with those that there are.
        let request = json!({
            "tenant": args.place.tenant, "groups": args.place.groups, "buckets": args.buckets,
        });
        lookup::ask::<CorpusCatalog>(bus, CATALOG, &request).await?;
    }
    Ok(shown)
}

/// The conditions for both search and count.
fn conditions(args: &cli::SearchArgs) -> Result<Map<String, Value>, CliError> {
    let mut conditions = Map::new();
    conditions.insert("tenant".into(), args.place.tenant.as_str().into());
    conditions.insert("groups".into(), args.place.groups.clone().into());
    conditions.insert("buckets".into(), args.buckets.clone().into());
    if let Some(text) = &args.filters {
        conditions.insert("filters".into(), filters(text)?);
    }
    Ok(conditions)
}

/// Refuses a condition on an unknown field, because leaving it out would show more than was asked for.
fn known(unknown: &[String], known: &[String]) -> Result<(), CliError> {
    let Some(first) = unknown.first() else {
        return Ok(());
    };
    Err(
        CliError::usage(format!("no document has a field `{first}`"))
            .hint(format!("the fields are {}", known.join(", "))),
    )
}

/// The fleet or the folder that is looked into.
async fn open(
    args: &cli::SearchPlaceArgs,
    config: &Config,
    output: Output,
) -> Result<Place, CliError> {
    let is_remote = args.server.is_named(config)? && args.corpus.is_none();
    only_default_tenant(is_remote, &args.tenant)?;
    let folder = Folder {
        corpus: args.corpus.clone(),
        reuse: args.reuse,
        force: false,
    };
    Place::open(is_remote, folder, config, output).await
}
