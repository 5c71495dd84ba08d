//! Makes the schema of a split: the rules that find the values in the documents of each bucket that has a schema.
//!
//! The schema is made from the words of the split alone, as by a person who knows the forms; no record is used. Its
//! synonyms are those of `synonyms.toml`, whose author saw no question.

use crate::field::{Field, Shelf};
use crate::half::Half;
use crate::path;
use crate::words::{Called, ShelfWords};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What people call the buckets and columns of every side.
const SYNONYMS: &str = include_str!("../synonyms.toml");

/// The synonyms of a bucket.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BucketSynonyms {
    synonyms: Vec<String>,
    columns: BTreeMap<String, Vec<String>>,
}

/// The schema as TOML, with synonyms if they are wanted.
pub(crate) fn schema(half: Half, has_synonyms: bool) -> String {
    let mut sides: BTreeMap<String, BTreeMap<String, BucketSynonyms>> = match has_synonyms {
        true => toml::from_str(SYNONYMS).expect("the synonyms have this form"),
        false => BTreeMap::new(),
    };
    let mut synonyms = sides.remove(half.as_str()).unwrap_or_default();
    let mut out = format!(
        "# The columns of the side `{}`; buckets without a table have none.\n",
        half.as_str()
    );
    for words in half.words().shelves.iter().filter(|words| words.has_schema) {
        let known = synonyms.remove(words.folder).unwrap_or_default();
        if has_synonyms {
            out.push_str(&format!(
                "\n[{}]\nsynonyms = {:?}\n",
                words.folder, known.synonyms
            ));
        }
        for called in words.fields {
            let names = known.columns.get(called.column);
            out.push_str(&column(half, words, called, names));
        }
    }
    out
}

fn column(
    half: Half,
    words: &ShelfWords,
    called: &Called,
    synonyms: Option<&Vec<String>>,
) -> String {
    let Called {
        field,
        column,
        alias,
        label,
        description,
        ..
    } = called;
    let text = sentence_pattern(called);
    let path = path::pattern(half, words.shelf, *field);
    let unit = match field {
        Field::Volts => "unit = \"V\"\n",
        Field::Amps => "unit = \"A\"\n",
        Field::Notice => "unit = \"days\"\n",
        _ => "",
    };
    let synonyms = synonyms.map(|names| format!("synonyms = {names:?}\n"));
    let synonyms = synonyms.unwrap_or_default();
    let nature = nature_rule(half, words.shelf, *field);
    format!(
        "\n[{}.{column}]\ntype = \"{}\"\n{unit}description = \"{description}\"\n{synonyms}rules = [\n  \
         {{ from = \"metadata\", keys = [\"{alias}\"] }},\n  {{ from = \"path\", pattern = '{path}' }},\n  \
         {{ labels = [\"{label}\"] }},\n  {{ from = \"text\", pattern = '{text}' }},\n{nature}]\n",
        words.folder,
        field.kind(),
    )
}

/// The pattern that finds a value in its sentence.
fn sentence_pattern(called: &Called) -> String {
    let escaped = called.sentence.replace('.', "[.]");
    let before_value = escaped.replace("{}", "(.+?)");
    // A sentence may stand behind another one on its line.
    format!("(?:^|[ |]){before_value}")
}

/// The rule that finds what a paper is at the beginning of its title.
fn nature_rule(half: Half, shelf: Shelf, field: Field) -> String {
    let words = half.words();
    if field != Field::Nature {
        return String::new();
    }
    let natures: &[&str] = match shelf {
        Shelf::Contracts => &words.contract_natures,
        _ => &words.invoice_natures,
    };
    // The longer one first: an invoice copy is no invoice.
    let mut natures: Vec<&str> = natures.to_vec();
    natures.sort_by_key(|nature| std::cmp::Reverse(nature.len()));
    let all = natures.join("|");
    format!("  {{ from = \"title\", pattern = '(?i)^({all})' }},\n")
}
