//! The words of a split: the names of its companies, parts, forms and columns. No name is in two splits, and the code
//! under test does not read these lists.

pub(crate) mod dev;
pub(crate) mod extra;
pub(crate) mod fifth;
pub(crate) mod fourth;
pub(crate) mod seventh;
pub(crate) mod sixth;
pub(crate) mod test;
pub(crate) mod third;

use crate::field::{Field, Shelf};

/// A company that a family of near-misses needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed {
    /// Without the suffix.
    pub(crate) name: &'static str,
    pub(crate) suffix: &'static str,
    /// The month that its fiscal years begin with.
    pub(crate) fiscal_start: u8,
}

pub(crate) const fn fixed(name: &'static str, suffix: &'static str, fiscal_start: u8) -> Fixed {
    Fixed {
        name,
        suffix,
        fiscal_start,
    }
}

/// The names of a field in columns, labels and sentences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Called {
    pub(crate) field: Field,
    /// The column, and the key of front matter.
    pub(crate) column: &'static str,
    /// Another key that some front matter has.
    pub(crate) alias: &'static str,
    pub(crate) label: &'static str,
    /// A sentence; `{}` is the value.
    pub(crate) sentence: &'static str,
    /// The text before and behind the value in a path.
    pub(crate) token: (&'static str, &'static str),
    pub(crate) description: &'static str,
}

/// The names of a shelf and of its fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShelfWords {
    pub(crate) shelf: Shelf,
    /// The folder, and so the bucket.
    pub(crate) folder: &'static str,
    pub(crate) has_schema: bool,
    /// The title of a paper that must not tell what it is.
    pub(crate) neutral_title: &'static str,
    pub(crate) fields: &'static [Called],
    /// Sentences without anything that is asked for.
    pub(crate) filler: &'static [&'static str],
    /// A sentence that names some other company, `{}`.
    pub(crate) aside: &'static str,
}

/// All words of a side.
#[derive(Debug)]
pub(crate) struct Words {
    /// First words of names.
    pub(crate) roots: &'static [&'static str],
    /// Second words of names.
    pub(crate) trades: &'static [&'static str],
    pub(crate) suffixes: &'static [&'static str],
    /// Pairs of names that are easily confused.
    pub(crate) similar: &'static [(Fixed, Fixed)],
    pub(crate) one_letter: &'static [Fixed],
    /// Names that are ordinary words.
    pub(crate) word_names: &'static [Fixed],
    /// Pairs of names that share their first letters.
    pub(crate) acronyms: &'static [(Fixed, Fixed)],
    /// Companies whose fiscal years are not the calendar years.
    pub(crate) fiscal: &'static [Fixed],
    /// A company that is also called by its first letters, which no other company shares.
    pub(crate) lone_acronym: Fixed,
    pub(crate) cost_bearers: &'static [&'static str],
    pub(crate) subjects: &'static [&'static str],
    pub(crate) part_types: &'static [&'static str],
    pub(crate) packages: &'static [&'static str],
    pub(crate) standards: &'static [&'static str],
    pub(crate) bodies: &'static [&'static str],
    pub(crate) sites: &'static [&'static str],
    pub(crate) articles: &'static [&'static str],
    /// The natures of invoices: invoice, credit note, second scan.
    pub(crate) invoice_natures: [&'static str; 3],
    /// The natures of contracts: contract, amendment.
    pub(crate) contract_natures: [&'static str; 2],
    pub(crate) report_natures: &'static [&'static str],
    pub(crate) shelves: &'static [ShelfWords],
    /// The separator of the tokens of a path.
    pub(crate) joint: &'static str,
    /// The sentence with which a report states when its year ends; `{}` is the last day, as `30 June`.
    pub(crate) fiscal_sentence: &'static str,
    pub(crate) fiscal_key: &'static str,
    pub(crate) first_year: i32,
    pub(crate) last_year: i32,
}

impl Words {
    pub(crate) fn shelf(&self, shelf: Shelf) -> &'static ShelfWords {
        let found = self.shelves.iter().find(|words| words.shelf == shelf);
        found.expect("every side has every shelf")
    }

    /// The companies that have to exist.
    pub(crate) fn fixed(&self) -> Vec<Fixed> {
        let pairs = self.similar.iter().chain(self.acronyms);
        let mut all: Vec<Fixed> = pairs.flat_map(|(a, b)| [*a, *b]).collect();
        all.extend(
            self.one_letter
                .iter()
                .chain(self.word_names)
                .chain(self.fiscal),
        );
        all.push(self.lone_acronym);
        all
    }
}

impl ShelfWords {
    pub(crate) fn called(&self, field: Field) -> &'static Called {
        let found = self.fields.iter().find(|called| called.field == field);
        found.expect("every field of a shelf has a name")
    }
}
