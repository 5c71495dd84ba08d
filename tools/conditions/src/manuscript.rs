//! The contents of a document before it has a file format: title, front matter, labelled values and sentences.
//!
//! A manuscript holds only values that are written in the front matter or in the text. So a value that is written in
//! the path alone, or nowhere, cannot be read in it.

use crate::day::{Day, DayNotation, MONTHS};
use crate::dice::Dice;
use crate::field::{Datum, Field, FileKind, Shelf, Stand};
use crate::money::{Currency, NumberNotation, grouped, plain, short};
use crate::record::{BusinessRecord, Matter};
use crate::words::{Called, ShelfWords, Words};
use serde_json::Value;

/// Of a thousand values of front matter, how many also stand in the text, have their other key, are written as in the
/// text, or are days with a time; and of a thousand values in the text alone, how many stand behind a label.
const ALSO_IN_TEXT: usize = 600;
const ALIAS: usize = 200;
const AS_IN_TEXT: usize = 100;
const WITH_TIME: usize = 100;
const LABELLED: usize = 550;
/// How many of a thousand papers name some other company.
const ASIDE: usize = 200;
/// How many of a thousand papers of a company with fiscal years of its own also state these in front matter.
const FISCAL_IN_FRONT: usize = 400;

/// A document without a file format.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manuscript {
    pub(crate) title: String,
    pub(crate) front: Vec<(String, Value)>,
    /// Labels with their values.
    pub(crate) labelled: Vec<(String, String)>,
    /// Sentences that hold a value; none of them is broken over two lines.
    pub(crate) sentences: Vec<String>,
    /// Sentences that hold no value.
    pub(crate) filler: Vec<String>,
    /// Articles with their quantities.
    pub(crate) lines: Vec<(String, String)>,
}

/// The notation of this document.
struct Hand {
    days: DayNotation,
    numbers: NumberNotation,
    /// Where the currency stands beside an amount, if it may: before, behind, or as a sign.
    beside: usize,
}

/// The manuscript of a record.
pub(crate) fn manuscript(
    record: &BusinessRecord,
    words: &'static Words,
    other_company: &str,
    dice: &mut Dice,
) -> Manuscript {
    let shelf = words.shelf(record.shelf());
    let hand = Hand {
        days: *dice.pick(&DayNotation::ALL),
        numbers: *dice.pick(&[NumberNotation::Point, NumberNotation::Comma]),
        beside: dice.below(3),
    };
    let mut paper = Manuscript {
        title: title(record, shelf, dice),
        ..Manuscript::default()
    };
    for called in shelf.fields {
        let written = hand.write(record, called.field);
        match record.stand(called.field) {
            Stand::Front => {
                let front = front(record, shelf, called, &written, dice);
                paper.front.push(front);
                if dice.permille(ALSO_IN_TEXT) {
                    paper.labelled.push((called.label.to_owned(), written));
                }
            }
            // What a scanner does to a sentence, no pattern of a schema would survive.
            Stand::Text if dice.permille(LABELLED) || !has_sentences(record.file) => {
                paper.labelled.push((called.label.to_owned(), written));
            }
            Stand::Text => paper
                .sentences
                .push(called.sentence.replace("{}", &written)),
            Stand::Path | Stand::Nowhere => {}
        }
    }
    fiscal_years(record, words, &mut paper, dice);
    add_filler(record, shelf, words, other_company, &mut paper, dice);
    paper
}

const fn has_sentences(file: FileKind) -> bool {
    !matches!(file, FileKind::Scan | FileKind::Csv)
}

/// A field in front matter, with its key and its value.
fn front(
    record: &BusinessRecord,
    shelf: &ShelfWords,
    called: &Called,
    written: &str,
    dice: &mut Dice,
) -> (String, Value) {
    // Without a schema nobody would know that two keys are one column, nor read what is written by hand.
    let key = match shelf.has_schema && dice.permille(ALIAS) {
        true => called.alias,
        false => called.column,
    };
    let value = match record.truth(called.field) {
        _ if shelf.has_schema && dice.permille(AS_IN_TEXT) => Value::from(written),
        Datum::Day(day) if dice.permille(WITH_TIME) => {
            let (hour, minute) = (dice.within(6, 20), dice.within(0, 59));
            Value::from(format!("{day}T{hour:02}:{minute:02}:00Z"))
        }
        truth => truth.to_json(),
    };
    (key.to_owned(), value)
}

impl Hand {
    /// A value as the text of this document writes it.
    fn write(&self, record: &BusinessRecord, field: Field) -> String {
        match record.truth(field) {
            Datum::Text(text) => text,
            Datum::Day(day) => day.written(self.days),
            Datum::Hundredths(n) if field.is_money() => self.money(record, n),
            Datum::Hundredths(n) if self.numbers == NumberNotation::Comma => {
                short(n).replace('.', ",")
            }
            Datum::Hundredths(n) => short(n),
        }
    }

    /// An amount, with its currency where the text may say that.
    fn money(&self, record: &BusinessRecord, hundredths: i64) -> String {
        let amount = grouped(hundredths, self.numbers);
        let may = matches!(record.stand(Field::Currency), Stand::Front | Stand::Text);
        if !may {
            return amount;
        }
        let currency = Currency::of(&record.truth(Field::Currency).as_text());
        match self.beside {
            0 => format!("{} {amount}", currency.code()),
            1 => format!("{amount} {}", currency.code()),
            _ if hundredths < 0 => {
                format!("-{}{}", currency.sign(), grouped(-hundredths, self.numbers))
            }
            _ => format!("{}{amount}", currency.sign()),
        }
    }
}

/// The fields that a title may be made of. Without a schema, they are what a question can refer to.
pub(crate) const fn titled(shelf: Shelf) -> &'static [Field] {
    match shelf {
        Shelf::Invoices | Shelf::Contracts => &[Field::Nature, Field::Number, Field::Company],
        Shelf::Datasheets => &[
            Field::Number,
            Field::Category,
            Field::Package,
            Field::Company,
        ],
        Shelf::Certificates => &[Field::Category, Field::Number, Field::Company, Field::Site],
        Shelf::Reports => &[Field::Company, Field::Nature, Field::Year],
    }
}

fn title(record: &BusinessRecord, shelf: &ShelfWords, dice: &mut Dice) -> String {
    let visible = |field: &&Field| match record.stand(**field) {
        Stand::Front => !shelf.has_schema || dice.permille(ALSO_IN_TEXT),
        Stand::Text => true,
        Stand::Path | Stand::Nowhere => false,
    };
    let parts: Vec<String> = titled(record.shelf())
        .iter()
        .filter(visible)
        .map(|field| record.truth(*field).as_text())
        .collect();
    match parts.is_empty() {
        true => shelf.neutral_title.to_owned(),
        false => capital(&parts.join(" ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// States in a company's reports when its fiscal year ends.
fn fiscal_years(record: &BusinessRecord, words: &Words, paper: &mut Manuscript, dice: &mut Dice) {
    let Matter::YearlyReport(report) = &record.matter else {
        return;
    };
    if report.fiscal_start == 1 {
        return;
    }
    let end = Day::start_of_fiscal(report.year + 1, report.fiscal_start).plus(-1);
    let iso = end.to_string();
    let month = MONTHS[usize::from(end.month()) - 1];
    let said = format!("{} {month}", iso[8..].trim_start_matches('0'));
    // In any year: a report whose year stands nowhere must not say it here.
    paper
        .sentences
        .push(words.fiscal_sentence.replace("{}", &said));
    if record.file.has_front() && dice.permille(FISCAL_IN_FRONT) {
        paper
            .front
            .push((words.fiscal_key.to_owned(), Value::from(&iso[5..])));
    }
}

fn add_filler(
    record: &BusinessRecord,
    shelf: &ShelfWords,
    words: &Words,
    other_company: &str,
    paper: &mut Manuscript,
    dice: &mut Dice,
) {
    let mut filler: Vec<&str> = shelf.filler.to_vec();
    dice.shuffle(&mut filler);
    filler.truncate(dice.within(2, 4) as usize);
    paper.filler.extend(filler.into_iter().map(str::to_owned));
    if dice.permille(ASIDE) {
        paper.filler.push(shelf.aside.replace("{}", other_company));
    }
    if record.shelf() == Shelf::Invoices {
        for _ in 0..dice.within(1, 4) {
            let article = (*dice.pick(words.articles)).to_owned();
            paper.lines.push((article, dice.within(1, 24).to_string()));
        }
    }
}

/// The forms of a value in a text, to be compared without blanks and case.
pub(crate) fn appearances(record: &BusinessRecord, field: Field) -> Vec<String> {
    match record.truth(field) {
        Datum::Text(text) => vec![text],
        Datum::Day(day) => DayNotation::ALL
            .map(|notation| day.written(notation))
            .to_vec(),
        Datum::Hundredths(n) if field.is_money() => vec![
            grouped(n.abs(), NumberNotation::Point),
            grouped(n.abs(), NumberNotation::Comma),
            plain(n.abs()),
            short(n.abs()),
        ],
        Datum::Hundredths(n) => vec![short(n), short(n).replace('.', ",")],
    }
}
