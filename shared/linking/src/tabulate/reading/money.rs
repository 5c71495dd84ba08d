//! Words for money that stand in no column: `the outlay before tax` is added up from the column that holds net amounts. Pure.
//! *Not* which column of numbers is meant where nothing is said of money.

use super::settling::is_money;
use super::*;

/// Words for what is paid, whatever a schema calls it.
const SAID: &str = "outlay outlays outgoings expenditure expenditures expense expenses spend spending spendings cost costs \
    price prices bill charge charges payment payments disbursement disbursements consideration commitment obligation \
    liability money sum amount worth value proceeds damage figure total";
/// Words that say of which sort, and mean no column by themselves.
const SORTS: &str = "contracted contractual budgetary financial monetary aggregate cumulative full entire whole overall total combined";
/// What is in an amount, or is not.
const TAXES: &str = "tax taxes vat gst duty duties";
/// What says that it is not, before a tax or behind one.
const WITHOUT: &str = "before net without excluding excl ex exclusive pre less untaxed pretax";
/// Words between an amount and what says of which sort it is.
const JOINING: &str = "of the any and all included inclusive including incl with gross plus";
/// How far behind an amount that may stand, in words.
const NEAR: usize = 4;

impl Reading<'_> {
    /// The column of money that a run of words means, if it is one of money: the one with taxes, unless it says that they are
    /// left out.
    pub(super) fn money(&self, run: &Range<usize>) -> Option<Fit> {
        let words = self.parts(run.clone());
        let has = |known: &str| words.iter().any(|word| is_of(word, known));
        let all_known = words.iter().all(|word| {
            [SAID, SORTS, TAXES, WITHOUT, JOINING]
                .iter()
                .any(|known| is_of(word, known))
        });
        if !all_known || !has(SAID) {
            return None;
        }
        let behind = run.end..self.is_taken.len().min(run.end + NEAR);
        let is_told = |at: &usize| {
            let parts = self.parts(*at..*at + 1);
            parts
                .iter()
                .all(|word| is_of(word, TAXES) || is_of(word, WITHOUT) || is_of(word, JOINING))
        };
        let told = behind
            .take_while(is_told)
            .flat_map(|at| self.parts(at..at + 1));
        let is_net = words
            .iter()
            .cloned()
            .chain(told)
            .any(|word| is_of(&word, WITHOUT));
        let columns = self.linker.dictionary.columns(self.bucket);
        let columns = columns.filter(|(_, column)| {
            phrase::is_number(column) && is_money(column) && is_part(column) == is_net
        });
        let mut columns: Vec<ColumnId> = columns.map(|(id, _)| id).collect();
        columns.dedup_by_key(|id| self.field(*id));
        (columns.len() == 1).then_some(Fit { score: 1, columns })
    }

    /// Whether a run asks what documents come to: `what is the outlay for the invoices?`, `cost of all deals, please`.
    pub(super) fn asks_what_it_costs(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let is_asking = is_of(self.word(0), "what how") || run.start == 0;
        self.operation.is_none()
            && run.end <= subject.start
            && is_asking
            && self.money(run).is_some()
    }

    /// Whether a run says no more than whether taxes are in the amount that is meant already.
    pub(super) fn is_of_money(&self, run: &Range<usize>) -> bool {
        let words = self.parts(run.clone());
        let is_known = |word: &String| {
            [TAXES, WITHOUT, JOINING, SORTS]
                .iter()
                .any(|known| is_of(word, known))
        };
        self.table.measure.is_some() && words.iter().all(is_known)
    }

    /// Words in small letters, those with a hyphen taken apart: `tax-inclusive` is two.
    fn parts(&self, tokens: Range<usize>) -> Vec<String> {
        let words = tokens.flat_map(|at| self.word(at).split('-'));
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    }
}

/// Whether a column holds amounts without what is added to them, by its name or its description.
fn is_part(column: &KnownColumn) -> bool {
    let described = column.description.split(|c: char| !c.is_alphanumeric());
    let mut words = column.words.iter().map(String::as_str).chain(described);
    words.any(|word| {
        is_of(
            &word.to_lowercase(),
            "net before without excluding exclusive",
        )
    })
}
