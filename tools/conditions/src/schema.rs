//! The schema of a side: for each bucket that has one, where its values stand.
//!
//! It is written from the words of the side alone, as a person who knows the forms would write it; no record is used.

use crate::field::{Field, Shelf};
use crate::half::Half;
use crate::path;
use crate::words::{Called, ShelfWords};

/// The schema as TOML.
pub(crate) fn schema(half: Half) -> String {
    let mut out = format!(
        "# The columns of the side `{}`; buckets without a table have none.\n",
        half.as_str()
    );
    for words in half.words().shelves.iter().filter(|words| words.has_schema) {
        for called in words.fields {
            out.push_str(&column(half, words, called));
        }
    }
    out
}

fn column(half: Half, words: &ShelfWords, called: &Called) -> String {
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
    let nature = nature_rule(half, words.shelf, *field);
    format!(
        "\n[{}.{column}]\ntype = \"{}\"\n{unit}description = \"{description}\"\nrules = [\n  \
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
