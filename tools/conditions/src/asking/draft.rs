//! Drafts a question: it chooses phrases that are true of a record that was drawn.

use super::Scene;
use super::near::shelves;
use super::phrase::Phrase;
use super::span::Around;
use crate::company::Company;
use crate::day::Day;
use crate::field::{Datum, Field, Shelf};
use crate::gold::Check;
use crate::half::Half;
use crate::manuscript::titled;
use crate::money::Currency;
use crate::question::{NearMiss, QuestionKind};
use crate::record::BusinessRecord;
use crate::wording::{Group, Most, Noun, Slot, Span, Turn};

/// How many of a thousand phrases about a company are about one of two.
const SEVERAL: usize = 120;

/// A question before its answer is known.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) kind: QuestionKind,
    pub(crate) family: Option<NearMiss>,
    pub(crate) shelf: Shelf,
    pub(crate) today: Day,
    pub(crate) turn: Turn,
    pub(crate) noun: Noun,
    pub(crate) phrases: Vec<Phrase>,
    /// The two sides of a comparison.
    pub(crate) sides: Vec<Phrase>,
    pub(crate) except: Option<Phrase>,
    pub(crate) over: Option<Phrase>,
    pub(crate) number: Option<String>,
    pub(crate) measure: Option<Field>,
    pub(crate) group: Option<Group>,
    pub(crate) is_ambiguous: bool,
}

/// The place where a draft is made: the record to hold on to, and its surroundings.
pub(super) struct Desk<'a, 'b> {
    pub(super) scene: &'b mut Scene<'a>,
    pub(super) kind: QuestionKind,
    pub(super) family: Option<NearMiss>,
    pub(super) shelf: Shelf,
    pub(super) record: &'a BusinessRecord,
    pub(super) company: Company,
    pub(super) around: Around,
}

/// A draft of this kind and family; `None` where the drawn record does not suit it.
pub(crate) fn draft(
    scene: &mut Scene<'_>,
    kind: QuestionKind,
    family: Option<NearMiss>,
    today: Day,
) -> Option<Draft> {
    let shelf = match family {
        Some(family) => *scene.dice.pick(shelves(family)),
        None => *scene.dice.pick(usual_shelves(kind)),
    };
    let record = scene.draw(shelf)?;
    let company = scene
        .company(&record.said(Field::Company)?.as_text())
        .clone();
    if family.is_some_and(|family| !scene.is_of(family, &company)) {
        return None;
    }
    let around = Around {
        day: match record.truth(Field::Date) {
            Datum::Day(day) => day,
            _ => today,
        },
        today,
        fiscal_start: company.fiscal_start,
    };
    let mut desk = Desk {
        scene,
        kind,
        family,
        shelf,
        record,
        company,
        around,
    };
    desk.draft()
}

/// The shelves about which a kind of question is usually asked; a shelf that stands here more often is asked about
/// more often.
const fn usual_shelves(kind: QuestionKind) -> &'static [Shelf] {
    use Shelf::{Certificates, Contracts, Datasheets, Invoices, Reports};
    match kind {
        QuestionKind::Sum | QuestionKind::Average | QuestionKind::Extreme => {
            &[Invoices, Invoices, Contracts]
        }
        QuestionKind::Threshold => &[Invoices, Invoices, Contracts, Datasheets],
        QuestionKind::Except => &[Invoices, Contracts, Datasheets, Certificates],
        _ => &[
            Invoices,
            Invoices,
            Contracts,
            Datasheets,
            Certificates,
            Reports,
        ],
    }
}

/// What a phrase can be about, in the order in which phrases stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    Company,
    Is(Field),
    When(Field),
    Years,
}

impl Desk<'_, '_> {
    fn draft(&mut self) -> Option<Draft> {
        let mut draft = Draft {
            kind: self.kind,
            family: self.family,
            shelf: self.shelf,
            today: self.around.today,
            turn: Turn::Plain,
            noun: self.noun()?,
            phrases: Vec::new(),
            sides: Vec::new(),
            except: None,
            over: None,
            number: None,
            measure: None,
            group: None,
            is_ambiguous: false,
        };
        match self.kind {
            QuestionKind::Lookup => self.lookup(&mut draft)?,
            QuestionKind::Compare => self.compare(&mut draft)?,
            QuestionKind::Group => self.group(&mut draft)?,
            QuestionKind::Extreme => self.extreme(&mut draft)?,
            QuestionKind::Threshold => self.threshold(&mut draft)?,
            QuestionKind::Except => self.except(&mut draft)?,
            QuestionKind::Sum | QuestionKind::Average => {
                draft.turn = Turn::Amount;
                draft.measure = Some(self.measure());
                let most = self.how_many_phrases();
                draft.phrases = self.usual_phrases(most)?;
            }
            QuestionKind::Time => draft.phrases = self.time()?,
            _ => {
                let most = self.how_many_phrases();
                draft.phrases = self.usual_phrases(most)?;
            }
        }
        if let Some(NearMiss::SharedAcronym) = self.family {
            self.shorten(&mut draft)?;
        }
        Some(draft)
    }

    /// How many phrases a question has: one more often than two or three. A near-miss has the phrase that tells it
    /// from the other reading, and one more.
    fn how_many_phrases(&mut self) -> usize {
        match self.family {
            Some(_) => 2,
            None => 1 + self.scene.dice.weighted(&[45, 40, 15]),
        }
    }

    /// The name of the record's nature, or that of its whole shelf.
    fn noun(&mut self) -> Option<Noun> {
        let nature = match self.shelf.fields().contains(&Field::Nature) {
            true => Some(self.record.truth(Field::Nature)),
            false => None,
        };
        let nouns = self.scene.wording().nouns.iter();
        let fits = |noun: &&Noun| {
            noun.shelf == self.shelf && noun.nature.is_none_or(|of| nature == Some(Datum::text(of)))
        };
        let nouns: Vec<Noun> = nouns.filter(fits).copied().collect();
        // A shelf with natures is asked for by one of them, but now and then.
        let last = *nouns.last()?;
        let is_whole = self.scene.dice.permille(150) && self.kind != QuestionKind::Lookup;
        Some(if is_whole { nouns[0] } else { last })
    }

    /// The field that is added up.
    pub(super) fn measure(&mut self) -> Field {
        let nets = self.scene.half != Half::Dev && self.shelf == Shelf::Invoices;
        match self.family {
            Some(NearMiss::NetAmount) => Field::Net,
            None if nets && self.scene.dice.permille(300) => Field::Net,
            _ => Field::Amount,
        }
    }

    /// What phrases can be about. Without a schema, this is only what titles and paths tell as well.
    pub(super) fn holds(&self) -> Vec<Hold> {
        use Field::{Body, Category, Currency, Date, Due, Package, Site};
        let all: &[Hold] = match self.shelf {
            Shelf::Invoices => &[
                Hold::Company,
                Hold::Is(Category),
                Hold::Is(Currency),
                Hold::When(Date),
            ],
            Shelf::Contracts => &[
                Hold::Company,
                Hold::Is(Category),
                Hold::When(Date),
                Hold::When(Due),
            ],
            Shelf::Datasheets => &[
                Hold::Company,
                Hold::Is(Category),
                Hold::Is(Package),
                Hold::When(Date),
            ],
            Shelf::Certificates => &[
                Hold::Company,
                Hold::Is(Category),
                Hold::Is(Site),
                Hold::Is(Body),
                Hold::When(Date),
                Hold::When(Due),
            ],
            Shelf::Reports => &[Hold::Company, Hold::Years],
        };
        let has_schema = self.scene.half.words().shelf(self.shelf).has_schema;
        let may = |hold: &&Hold| match hold {
            Hold::Company | Hold::Years => true,
            Hold::Is(field) | Hold::When(field) => has_schema || titled(self.shelf).contains(field),
        };
        all.iter().filter(may).copied().collect()
    }

    /// Some phrases, as the family wants them.
    pub(super) fn usual_phrases(&mut self, most: usize) -> Option<Vec<Phrase>> {
        let mut holds = self.holds();
        let wanted: Vec<Hold> = match self.family {
            None => Vec::new(),
            Some(NearMiss::OtherYear) if self.shelf == Shelf::Reports => {
                vec![Hold::Company, Hold::Years]
            }
            Some(NearMiss::OtherYear | NearMiss::FiscalYear) => {
                vec![Hold::Company, Hold::When(Field::Date)]
            }
            Some(NearMiss::DueDate) => {
                // One day of two: the other is the near-miss.
                vec![Hold::Company, Hold::When(Field::Due)]
            }
            Some(NearMiss::Amended | NearMiss::NetAmount) => vec![Hold::Company],
            Some(_) => vec![Hold::Company],
        };
        if self.family == Some(NearMiss::DueDate) {
            holds.retain(|hold| *hold != Hold::When(Field::Date));
            holds.push(Hold::When(Field::Due));
            holds.dedup();
        }
        let mut rest: Vec<Hold> = holds
            .iter()
            .copied()
            .filter(|hold| !wanted.contains(hold))
            .collect();
        self.scene.dice.shuffle(&mut rest);
        // A family is asked for with its own words and one more at most.
        rest.truncate(most.saturating_sub(wanted.len()));
        let mut phrases = Vec::new();
        for hold in holds
            .into_iter()
            .filter(|hold| wanted.contains(hold) || rest.contains(hold))
        {
            phrases.push(self.phrase(hold)?);
        }
        (!phrases.is_empty()).then_some(phrases)
    }

    /// A phrase about the record.
    pub(super) fn phrase(&mut self, hold: Hold) -> Option<Phrase> {
        match hold {
            Hold::Company => {
                let company = self.company.clone();
                let kinds = [QuestionKind::List, QuestionKind::Count, QuestionKind::Sum];
                let may = self.family.is_none() && kinds.contains(&self.kind);
                if may && self.scene.dice.permille(SEVERAL) {
                    return self.several();
                }
                self.scene
                    .of_company(self.shelf, &company, self.family.is_some())
            }
            Hold::Is(field) => {
                let value = self.record.said(field)?;
                self.scene.is(self.shelf, field, &value)
            }
            Hold::When(field) => {
                let around = Around {
                    day: self.day(field)?,
                    ..self.around
                };
                let span = match self.family {
                    Some(NearMiss::FiscalYear) => Span::Fiscal,
                    Some(NearMiss::OtherYear) => {
                        *self.scene.dice.pick(&[Span::Year, Span::Year, Span::Half])
                    }
                    _ => *self.scene.dice.pick(&[
                        Span::Month,
                        Span::Quarter,
                        Span::Year,
                        Span::Year,
                        Span::Half,
                    ]),
                };
                self.scene.when(self.shelf, field, span, around)
            }
            Hold::Years => {
                let year = self.record.said(Field::Year)?.hundredths() / 100;
                let (years, is_range) = match self.family {
                    Some(_) => (vec![year], false),
                    None => match self.scene.dice.below(6) {
                        0 => (vec![year, year + 1], false),
                        1 => (vec![year, year + 2], true),
                        _ => (vec![year], false),
                    },
                };
                self.scene.years(self.shelf, &years, is_range)
            }
        }
    }

    /// A phrase about either of two companies.
    fn several(&mut self) -> Option<Phrase> {
        let other = self.scene.draw(self.shelf)?.said(Field::Company)?;
        let other = self.scene.company(&other.as_text()).clone();
        let company = self.company.clone();
        (other != company).then(|| self.scene.of_companies(self.shelf, &[company, other]))?
    }

    pub(super) fn day(&self, field: Field) -> Option<Day> {
        match self.record.said(field)? {
            Datum::Day(day) => Some(day),
            _ => None,
        }
    }

    /// Shortens the names of companies that share an acronym: either the whole name is stated, or the acronym alone,
    /// and then both are meant.
    fn shorten(&mut self, draft: &mut Draft) -> Option<()> {
        if self.scene.dice.permille(500) {
            return Some(());
        }
        let twin = self.scene.twin(&self.company.name)?.name.clone();
        let company = self.company.clone();
        let is_it = |check: &Check| check.field == Field::Company;
        let phrase = draft
            .phrases
            .iter_mut()
            .find(|phrase| phrase.checks.iter().any(is_it))?;
        let said = phrase.said.replace(&company.name, &company.acronym());
        phrase.said = said.replace(&company.short, &company.acronym());
        let mut names = [company.name, twin];
        names.sort();
        phrase.checks = vec![Check {
            field: Field::Company,
            comparison: crate::gold::Comparison::In,
            values: names.iter().map(|name| Datum::text(name)).collect(),
        }];
        draft.is_ambiguous = true;
        Some(())
    }

    fn threshold(&mut self, draft: &mut Draft) -> Option<()> {
        let field = match (self.shelf, self.family) {
            (Shelf::Invoices, Some(NearMiss::NetAmount)) => Field::Net,
            (Shelf::Contracts, _) if self.scene.dice.permille(200) => Field::Notice,
            (Shelf::Datasheets, _) => *self.scene.dice.pick(&[Field::Volts, Field::Amps]),
            (Shelf::Invoices | Shelf::Contracts, _) => Field::Amount,
            _ => return None,
        };
        let value = self.record.said(field)?.hundredths();
        let slot = *self.scene.dice.pick(&[
            Slot::Over(field),
            Slot::Over(field),
            Slot::AtLeast(field),
            Slot::Under(field),
            Slot::Between(field),
        ]);
        let below = rounded(value * 7 / 10)?;
        let bounds = match slot {
            Slot::Under(_) => vec![rounded(value * 3 / 2)?],
            Slot::Between(_) => vec![below, rounded(value * 2)?],
            _ => vec![below],
        };
        let currency = match field.is_money() && self.scene.dice.permille(600) {
            true => Some(Currency::of(&self.record.said(Field::Currency)?.as_text())),
            false => None,
        };
        draft.phrases = self.usual_phrases(2)?;
        draft.phrases.retain(|phrase| {
            phrase
                .checks
                .iter()
                .all(|check| check.field != Field::Currency)
        });
        draft.over = Some(self.scene.amount(self.shelf, slot, &bounds, currency)?);
        Some(())
    }

    fn extreme(&mut self, draft: &mut Draft) -> Option<()> {
        let most = match self.family {
            Some(NearMiss::NetAmount) => Most::Largest,
            _ => *self.scene.dice.pick(&[
                Most::Largest,
                Most::Largest,
                Most::Smallest,
                Most::Newest,
                Most::Oldest,
            ]),
        };
        draft.turn = Turn::Most(most);
        draft.measure = Some(match most {
            Most::Largest | Most::Smallest if self.is_riddle(draft) => return None,
            Most::Largest | Most::Smallest => self.measure(),
            Most::Newest | Most::Oldest => Field::Date,
        });
        draft.phrases = self.usual_phrases(2)?;
        Some(())
    }

    /// Whether the amounts are those of credit notes, which are negative, so that no reader can tell which of two is
    /// the larger. The older sides ask all the same, and keep their questions.
    fn is_riddle(&self, draft: &Draft) -> bool {
        let is_later = matches!(
            self.scene.half,
            Half::Third | Half::Fourth | Half::Fifth | Half::Sixth | Half::Seventh
        );
        is_later && draft.noun.nature == Some(self.scene.half.words().invoice_natures[1])
    }
}

/// A round number near an amount: two digits and zeros; `None` for one that is too small, or negative.
fn rounded(hundredths: i64) -> Option<i64> {
    let mut step = 1;
    while hundredths / step >= 100 {
        step *= 10;
    }
    let round = hundredths / step * step;
    (round >= 10).then_some(round)
}
