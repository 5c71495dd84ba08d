//! Makes the paths of documents, from the values that are written in the path alone and from a number that makes each
//! path unique.

use crate::company::Company;
use crate::day::DayNotation;
use crate::field::{Datum, Field, FileKind, Shelf, Stand};
use crate::half::Half;
use crate::money::plain;
use crate::record::BusinessRecord;
use crate::words::ShelfWords;

/// The lines of a file of JSONL.
const LINES: u32 = 25;

/// The path of a record below the folder of documents; for a line of JSONL, with its id.
pub(crate) fn source(half: Half, company: &Company, record: &BusinessRecord) -> String {
    let words = half.words().shelf(record.shelf());
    let mut folder = String::new();
    let mut tokens: Vec<String> = Vec::new();
    for called in words.fields {
        if record.stand(called.field) != Stand::Path {
            continue;
        }
        let value = written(
            half,
            words,
            company,
            called.field,
            &record.truth(called.field),
        );
        match called.token {
            (before, "/") if words.has_schema => folder = format!("{before}{value}/"),
            (before, behind) if words.has_schema => tokens.push(format!("{before}{value}{behind}")),
            _ => tokens.push(value),
        }
    }
    tokens.push(match half {
        Half::Dev => format!("d{:05}", record.serial),
        Half::Test => format!("{:05}", record.serial),
        Half::Extra => format!("{:x}z", record.serial),
        Half::Third => format!("p{}", record.serial),
        Half::Fourth => format!("{:05}q", record.serial),
        Half::Fifth => format!("id{:04}", record.serial),
        Half::Sixth => format!("n{:06}", record.serial),
        Half::Seventh => format!("s{:05}", record.serial),
    });
    let name = format!("{folder}{}", tokens.join(joint(half, words)));
    let root = words.folder;
    match record.file {
        FileKind::Markdown => format!("{root}/{name}.md"),
        FileKind::Html => format!("{root}/{name}.html"),
        FileKind::Pdf => format!("{root}/{name}.pdf"),
        FileKind::Csv => format!("{root}/{name}.csv"),
        FileKind::Scan => format!("{root}/{name}.txt"),
        FileKind::Jsonl => {
            let batch = record.serial / LINES;
            match half {
                Half::Dev => format!("{root}/batch-{batch:03}.jsonl#{name}"),
                Half::Test => format!("{root}/ledger {batch}.jsonl#{name}"),
                Half::Extra => format!("{root}/export.{batch}.jsonl#{name}"),
                Half::Third => format!("{root}/stack{batch}.jsonl#{name}"),
                Half::Fourth => format!("{root}/register_{batch:02}.jsonl#{name}"),
                Half::Fifth => format!("{root}/records-{batch}.jsonl#{name}"),
                Half::Sixth => format!("{root}/dump_{batch:03}.jsonl#{name}"),
                Half::Seventh => format!("{root}/ledger-page-{batch}.jsonl#{name}"),
            }
        }
    }
}

/// The separator of tokens.
pub(crate) fn joint(half: Half, words: &ShelfWords) -> &'static str {
    match (words.has_schema, half) {
        (true, _) => half.words().joint,
        (false, Half::Dev) => "_",
        (false, Half::Test) => " ",
        (false, Half::Extra) => "-",
        (false, Half::Third) => "+",
        (false, Half::Fourth) => "=",
        (false, Half::Fifth) => ".",
        (false, Half::Sixth) => "___",
        (false, Half::Seventh) => "-_-",
    }
}

/// A value in the form in which paths have it.
fn written(
    half: Half,
    words: &ShelfWords,
    company: &Company,
    field: Field,
    value: &Datum,
) -> String {
    match value {
        Datum::Day(day) => day.written(match half {
            Half::Test | Half::Sixth => DayNotation::Dotted,
            Half::Third => DayNotation::Words,
            _ => DayNotation::Iso,
        }),
        Datum::Hundredths(n) if field.is_money() && half != Half::Test => plain(*n),
        Datum::Hundredths(n) if field.is_money() => plain(*n).replace('.', ","),
        Datum::Hundredths(_) => value.as_text(),
        Datum::Text(_) if field == Field::Company => company_in_path(half, words, company),
        Datum::Text(text) => text_in_path(half, words, field, text),
    }
}

fn company_in_path(half: Half, words: &ShelfWords, company: &Company) -> String {
    match (half, words.has_schema) {
        (Half::Dev, true) => company.short.to_lowercase().replace(' ', "-"),
        (Half::Dev, false) => company.squashed(),
        (Half::Test, true) => company.short.to_uppercase(),
        (Half::Test, false) => company.short.to_uppercase().replace(' ', "-"),
        (Half::Extra, true) => company.squashed(),
        (Half::Extra, false) => company.short.to_lowercase().replace(' ', "-"),
        (Half::Third, true) => company.short.clone(),
        (Half::Third, false) => company.squashed(),
        (Half::Fourth, true) => company.name.clone(),
        (Half::Fourth, false) => company.short.to_uppercase().replace(' ', "-"),
        (Half::Fifth, true) => company.short.to_lowercase().replace(' ', "-"),
        (Half::Fifth, false) => company.short.clone(),
        (Half::Sixth, true) => company.short.to_uppercase().replace(' ', "-"),
        (Half::Sixth, false) => company.short.to_lowercase().replace(' ', "-"),
        (Half::Seventh, true) => company.short.to_lowercase().replace(' ', "-"),
        (Half::Seventh, false) => company.name.clone(),
    }
}

pub(crate) fn text_in_path(half: Half, words: &ShelfWords, field: Field, text: &str) -> String {
    if matches!(field, Field::Number | Field::Currency) {
        return text.to_owned();
    }
    match (half, words.has_schema) {
        (Half::Dev, true) => text.to_lowercase().replace(' ', "-"),
        // `10K`, `ISO9001`, `SustainabilityReport`.
        (Half::Dev, false) => text.split([' ', '-']).map(capital).collect(),
        (Half::Test, true) => text.to_owned(),
        (Half::Test, false) => text.replace(' ', "-"),
        (Half::Extra, true) => text.replace(' ', "_"),
        (Half::Extra, false) => text.to_lowercase().replace(' ', "-"),
        (Half::Third, true) => text.to_uppercase().replace(' ', "-"),
        (Half::Third, false) => text.replace(' ', "_"),
        (Half::Fourth, true) => text.split(' ').map(capital).collect::<Vec<_>>().join("_"),
        (Half::Fourth, false) => text.to_uppercase().replace(' ', "-"),
        (Half::Fifth, true) => text.to_lowercase().replace(' ', "_"),
        (Half::Fifth, false) => text.to_owned(),
        (Half::Sixth, true) => text.split(' ').map(capital).collect::<Vec<_>>().join("-"),
        (Half::Sixth, false) => text.to_lowercase().replace(' ', "_"),
        (Half::Seventh, true) => text.to_lowercase().replace(' ', "-"),
        (Half::Seventh, false) => text.to_uppercase().replace(' ', "_"),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The pattern, with one group, by which a schema finds a value in a path.
pub(crate) fn pattern(half: Half, shelf: Shelf, field: Field) -> String {
    let words = half.words().shelf(shelf);
    let called = words.called(field);
    let value = match (field.kind(), half) {
        ("date", Half::Dev) => "[0-9]{4}-[0-9]{2}-[0-9]{2}",
        ("date", Half::Test) => "[0-9]{2}[.][0-9]{2}[.][0-9]{4}",
        ("date", Half::Extra) => "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}",
        ("date", Half::Third) => "[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}",
        ("date", Half::Fourth) => "[12][0-9]{3}-[01][0-9]-[0-3][0-9]",
        ("date", Half::Fifth) => "[0-9]{4}-[01][0-9]-[0-3][0-9]",
        ("date", Half::Sixth) => "[0-3][0-9][.][01][0-9][.][0-9]{4}",
        ("date", Half::Seventh) => "(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}",
        ("number", Half::Dev) => "-?[0-9.]+",
        ("number", Half::Test) => "-?[0-9.,]+",
        ("number", Half::Extra) => "-?[0-9]+[.]?[0-9]*",
        ("number", Half::Third) => "-?[0-9]{1,12}[.]?[0-9]{0,2}",
        ("number", Half::Fourth) => "-?[0-9]+(?:[.][0-9]+)?",
        ("number", Half::Fifth) => "-?[0-9]+[.]?[0-9]{0,2}",
        ("number", Half::Sixth) => "-?[0-9]{1,12}(?:[.][0-9]{1,2})?",
        ("number", Half::Seventh) => "-?[0-9]{1,10}(?:[.][0-9]+)?",
        (_, Half::Dev) => "[A-Za-z0-9-]+",
        (_, Half::Test) => "[^/#]+?",
        (_, Half::Extra) => "[^/#~]+",
        (_, Half::Third) => "[^/#,]+",
        (_, Half::Fourth) => "[^/#;]+",
        (_, Half::Fifth) => "[^/#|]+?",
        (_, Half::Sixth) => "[^/#@]+",
        (_, Half::Seventh) => "[^/#%]+?",
    };
    match called.token {
        (before, "/") => format!("[/#]{before}({value})/[^/]*$"),
        (before, behind) => {
            let joint = half.words().joint;
            format!("(?:/|#|{joint}){before}({value}){behind}{joint}")
        }
    }
}
