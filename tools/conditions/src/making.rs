//! Makes records by seed: a number of each kind, in the proportions of the corpus.

use crate::company::Company;
use crate::day::Day;
use crate::dice::Dice;
use crate::half::Half;
use crate::money::Currency;
use crate::record::{Certificate, Contract, Datasheet, Invoice, Matter, YearlyReport};
use crate::words::Words;

/// How many of 5,000 documents are invoices, contracts, datasheets, certificates and reports.
pub(crate) const PROPORTIONS: [usize; 5] = [1_600, 700, 900, 500, 1_300];

/// How many of a hundred papers among the invoices are credit notes, and how many are second scans.
const CREDIT_NOTES: usize = 11;
const SECOND_SCANS: usize = 8;
/// How many of a thousand papers are in another currency than most of the company's.
const OTHER_CURRENCY: usize = 150;

/// The state for making records.
struct Maker<'a> {
    half: Half,
    words: &'static Words,
    companies: &'a [Company],
    weights: Vec<usize>,
    dice: Dice,
}

/// The matters of a corpus of so many documents, shelf by shelf.
pub(crate) fn matters(
    half: Half,
    companies: &[Company],
    documents: usize,
    seed: u64,
) -> Vec<Matter> {
    let counts = counts(documents);
    let maker = |purpose: &str| Maker {
        half,
        words: half.words(),
        companies,
        weights: companies.iter().map(|company| company.weight).collect(),
        dice: Dice::new(seed, purpose),
    };
    let mut all = Vec::with_capacity(documents);
    all.extend(maker("invoices").invoices(counts[0]));
    all.extend(maker("contracts").contracts(counts[1]));
    all.extend(maker("datasheets").datasheets(counts[2]));
    all.extend(maker("certificates").certificates(counts[3]));
    all.extend(maker("reports").reports(counts[4]));
    all
}

/// How many records each shelf has; the remainder of rounding becomes invoices.
pub(crate) fn counts(documents: usize) -> [usize; 5] {
    let whole: usize = PROPORTIONS.iter().sum();
    let mut counts = PROPORTIONS.map(|n| n * documents / whole);
    counts[0] += documents - counts.iter().sum::<usize>();
    counts
}

impl Maker<'_> {
    fn word(&mut self, list: &'static [&'static str]) -> &'static str {
        list[self.dice.below(list.len())]
    }

    fn company(&mut self) -> Company {
        self.companies[self.dice.weighted(&self.weights)].clone()
    }

    fn currency(&mut self, company: &Company) -> Currency {
        match self.dice.permille(OTHER_CURRENCY) {
            true => *self.dice.pick(&Currency::ALL),
            false => company.currency,
        }
    }

    fn day(&mut self) -> Day {
        let first = Day::new(self.words.first_year, 1, 1);
        let last = Day::new(self.words.last_year, 12, 31);
        first.plus(self.dice.within(0, last.number() - first.number()))
    }

    /// An amount between the two, with smaller ones more often.
    fn amount(&mut self, from: f64, to: f64) -> i64 {
        let amount = from * (to / from).powf(self.dice.share());
        (amount * 20.0).round() as i64 * 5
    }

    fn invoices(mut self, count: usize) -> Vec<Matter> {
        let [invoice, credit_note, second_scan] = self.words.invoice_natures;
        let mut all: Vec<Invoice> = Vec::with_capacity(count);
        while all.len() < count {
            let what = self.dice.below(100);
            if what < SECOND_SCANS && all.len() > 10 {
                let before = self.dice.below(all.len());
                if all[before].nature == invoice {
                    let nature = second_scan;
                    all.push(Invoice {
                        nature,
                        ..all[before].clone()
                    });
                }
                continue;
            }
            let is_credit = what < SECOND_SCANS + CREDIT_NOTES;
            let company = self.company();
            let date = self.day();
            let net = self.amount(80.0, 60_000.0) * if is_credit { -1 } else { 1 };
            let rate = *self.dice.pick(&[0, 7, 19, 20, 21]);
            all.push(Invoice {
                number: self.invoice_number(&company, all.len()),
                nature: if is_credit { credit_note } else { invoice },
                date,
                due: date.plus(*self.dice.pick(&[14, 21, 30, 45, 60, 90])),
                net,
                gross: net + (net * rate + 50 * net.signum()) / 100,
                currency: self.currency(&company),
                category: self.word(self.words.cost_bearers),
                company: company.name,
            });
        }
        all.into_iter().map(Matter::Invoice).collect()
    }

    fn invoice_number(&mut self, company: &Company, at: usize) -> String {
        let serial = 10_000 + at * 7 + self.dice.below(7);
        let squashed = company.short.replace(' ', "").to_uppercase();
        match self.half {
            Half::Dev => format!("{}-{serial}", &format!("{squashed}X")[..2]),
            Half::Test => format!("{}{}{serial}", serial % 10, &squashed[..1]),
            Half::Extra => format!("{serial}-{}", &format!("{squashed}ZZ")[..3]),
            Half::Third => format!("{}.{serial}", &squashed[..1]),
            Half::Fourth => format!("VI-{serial}-{:02}", serial % 89),
            Half::Fifth => format!("INV-{serial}"),
            Half::Sixth => format!("R{serial}.{:02}", serial % 83),
            Half::Seventh => format!("GV{serial}"),
        }
    }

    fn contracts(mut self, count: usize) -> Vec<Matter> {
        let [contract, amendment] = self.words.contract_natures;
        let mut all: Vec<Contract> = Vec::with_capacity(count);
        let mut serial = 1_000;
        while all.len() < count {
            serial += 1 + self.dice.below(3);
            let company = self.company();
            let start = Day::first_of(self.day().year(), self.dice.within(1, 12) as i32);
            let years = self.dice.within(1, 4) as i32;
            let original = Contract {
                number: match self.half {
                    Half::Dev => format!("C-{serial}"),
                    Half::Test => format!("AGR{serial}"),
                    Half::Extra => format!("K.{serial}"),
                    Half::Third => format!("DL{serial}"),
                    Half::Fourth => format!("PA-{serial}-L"),
                    Half::Fifth => format!("SA-{serial}"),
                    Half::Sixth => format!("LV{serial}"),
                    Half::Seventh => format!("WR-{serial}"),
                },
                nature: contract,
                category: self.word(self.words.subjects),
                start,
                end: Day::first_of(start.year() + years, i32::from(start.month())).plus(-1),
                value: self.amount(4_000.0, 900_000.0) / 10_000 * 10_000,
                currency: self.currency(&company),
                notice: *self.dice.pick(&[14, 30, 60, 90, 180]),
                company: company.name,
            };
            all.push(original.clone());
            let mut last = original;
            for _ in 0..self.dice.weighted(&[55, 30, 15]) {
                let later = last.start.plus(self.dice.within(90, 400));
                let end = last.end.plus(self.dice.within(2, 24) * 30);
                last = Contract {
                    nature: amendment,
                    start: Day::first_of(later.year(), i32::from(later.month())),
                    end: Day::first_of(end.year(), i32::from(end.month())).plus(-1),
                    value: last.value + self.dice.within(1, 40) * 50_000,
                    notice: *self.dice.pick(&[14, 30, 60, 90, 180]),
                    ..last
                };
                all.push(last.clone());
            }
        }
        all.truncate(count);
        all.into_iter().map(Matter::Contract).collect()
    }

    fn datasheets(mut self, count: usize) -> Vec<Matter> {
        let mut all = Vec::with_capacity(count);
        let mut serial = 2_000;
        while all.len() < count {
            serial += 1 + self.dice.below(6);
            let company = self.company();
            let category = self.word(self.words.part_types);
            // One sign apart: the same number with another last letter.
            let letters = ["A", "B", "C", "N"];
            for letter in &letters[..self.dice.within(2, 4) as usize] {
                all.push(Datasheet {
                    company: company.name.clone(),
                    part: match self.half {
                        Half::Dev => format!("HX-{serial}{letter}"),
                        Half::Test => format!("{letter}TR{serial}"),
                        Half::Extra => format!("V{serial}.{letter}"),
                        Half::Third => format!("EL{serial}{letter}"),
                        Half::Fourth => format!("{letter}-{serial}-DS"),
                        Half::Fifth => format!("M{serial}-{letter}"),
                        Half::Sixth => format!("SK{serial}.{letter}"),
                        Half::Seventh => format!("EQ{serial}{letter}"),
                    },
                    category,
                    volts: self.volts(),
                    amps: *self
                        .dice
                        .pick(&[10, 20, 50, 80, 100, 150, 220, 330, 500, 800, 1_200]),
                    package: self.word(self.words.packages),
                    revised: self.day(),
                });
            }
        }
        all.truncate(count);
        all.into_iter().map(Matter::Datasheet).collect()
    }

    fn volts(&mut self) -> i64 {
        *self.dice.pick(&[
            180, 330, 500, 750, 1_200, 1_850, 2_400, 4_500, 6_000, 8_000, 10_000, 25_000,
        ])
    }

    fn certificates(mut self, count: usize) -> Vec<Matter> {
        let mut all: Vec<Certificate> = Vec::with_capacity(count);
        let mut serial = 40_000;
        while all.len() < count {
            let company = self.company();
            let standard = self.word(self.words.standards);
            let site = self.word(self.words.sites);
            let body = self.word(self.words.bodies);
            let mut issued = self.day();
            for _ in 0..self.dice.weighted(&[0, 60, 40]) {
                serial += 1 + self.dice.below(9);
                let valid_until =
                    Day::first_of(issued.year() + 3, i32::from(issued.month())).plus(-1);
                all.push(Certificate {
                    company: company.name.clone(),
                    number: match self.half {
                        Half::Dev => format!("CERT-{serial}"),
                        Half::Test => format!("QM{serial}"),
                        Half::Extra => format!("{serial}-QS"),
                        Half::Third => format!("OK{serial}"),
                        Half::Fourth => format!("CONF.{serial}"),
                        Half::Fifth => format!("REG-{serial}"),
                        Half::Sixth => format!("Z{serial}-Q"),
                        Half::Seventh => format!("AC-{serial}"),
                    },
                    standard,
                    body,
                    site,
                    issued,
                    valid_until,
                });
                issued = valid_until.plus(-self.dice.within(1, 60));
            }
        }
        all.truncate(count);
        all.into_iter().map(Matter::Certificate).collect()
    }

    fn reports(mut self, count: usize) -> Vec<Matter> {
        let natures = self.words.report_natures;
        let years = self.words.last_year - 10..self.words.last_year;
        let each = natures.len() * years.len();
        let mut all: Vec<YearlyReport> = Vec::new();
        // Whose fiscal years are their own come first: what a question about one means has to stand somewhere.
        let mut companies: Vec<&Company> = self.companies.iter().collect();
        companies.sort_by_key(|company| company.fiscal_start == 1);
        for company in companies.into_iter().take(count.div_ceil(each) + 3) {
            let mut revenue = self.amount(2e6, 9e8);
            for year in years.clone() {
                revenue = revenue / 100 * self.dice.within(88, 117);
                let end = Day::start_of_fiscal(year + 1, company.fiscal_start);
                for nature in natures {
                    all.push(YearlyReport {
                        company: company.name.clone(),
                        nature,
                        year,
                        fiscal_start: company.fiscal_start,
                        published: end.plus(self.dice.within(40, 120)),
                        revenue,
                        currency: company.currency,
                    });
                }
            }
        }
        // Some are missing, as in every archive.
        self.dice.shuffle(&mut all);
        all.truncate(count);
        all.into_iter().map(Matter::YearlyReport).collect()
    }
}
