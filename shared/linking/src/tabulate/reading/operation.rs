//! Reads from the words of a question which operation is wanted, and for how many of the largest documents. Pure. The
//! operation of a question that has no word for it is *not* found here (`settling`).

use super::*;

/// The number of documents that `the largest invoices` asks for.
const MOST_OF_MANY: usize = 5;
const NUMBERS: [&str; 9] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

impl Reading<'_> {
    /// Finds the operation that the words name. If they name several, the strongest wins.
    pub(super) fn read_operation(&mut self) {
        let rank = |operation| match operation {
            ColumnOperation::Average => 4,
            ColumnOperation::Sum => 3,
            ColumnOperation::Largest | ColumnOperation::Smallest => 2,
            ColumnOperation::Count => 1,
            ColumnOperation::List => 0,
        };
        let mut at = 0;
        while at < self.is_taken.len() {
            if self.is_taken[at] {
                at += 1;
                continue;
            }
            if let Some(length) = self.phrase_at(at) {
                at += length;
                continue;
            }
            let next = self
                .linker
                .tokens
                .get(at + 1)
                .map_or("", |next| next.lower.as_str());
            let before = at.checked_sub(1).map_or("", |at| self.word(at));
            let subject = self.linker.frame.subject.as_ref();
            let is_before_subject = subject.is_some_and(|subject| {
                subject.start == at + 1 || self.noun_start(subject) == at + 1
            });
            let is_end = self.linker.tokens[at].is_last;
            let is_pair = matches!(
                (self.word(at), next),
                ("most", "recent" | "recently")
                    | ("grand" | "sum", "total")
                    | ("in", "all" | "total")
                    | ("total", "number" | "count")
                    | ("all", "told")
            );
            // `in all of 2020` is a time, and `in all` a sum.
            let is_throughout = (self.word(at), next) == ("in", "all")
                && self
                    .linker
                    .tokens
                    .get(at + 2)
                    .is_some_and(|word| word.lower == "of");
            // `the sum without VAT` is an amount, as it stands on an invoice.
            let is_taxed = at > 0
                && (self.word(at), is_of(next, words!(beside_tax))) == ("sum", true)
                && self
                    .linker
                    .tokens
                    .get(at + 2)
                    .is_some_and(|word| is_of(&word.lower, "vat tax taxes gst duty duties"));
            let found = match (self.word(at), next) {
                _ if is_throughout => None,
                _ if is_taxed => None,
                ("last", "one") => Some((ColumnOperation::Largest, true)),
                ("first", "one") => Some((ColumnOperation::Smallest, true)),
                // `how many sheets most recently updated in 2024`
                ("most", "recently") if self.operation == Some(ColumnOperation::Count) => {
                    self.is_taken[at] = true;
                    None
                }
                ("most", "recent" | "recently") => Some((ColumnOperation::Largest, true)),
                ("bottom", "of") => Some((ColumnOperation::Smallest, false)),
                ("total", "number" | "count") => Some((ColumnOperation::Count, false)),
                ("in", "all" | "total") | ("all", "told") if self.asks_how_many() => {
                    Some((ColumnOperation::Count, false))
                }
                // `all of it in one figure`
                ("one", "number" | "figure" | "sum") if before == "in" => {
                    Some((ColumnOperation::Sum, false))
                }
                ("grand" | "sum", "total")
                | ("in", "all" | "total")
                | ("all", "told")
                | ("amount", "to") => Some((ColumnOperation::Sum, false)),
                ("first", _) if is_end && before.ends_with("ed") => {
                    Some((ColumnOperation::Smallest, true))
                }
                ("last", _) if is_end && before.ends_with("ed") => {
                    Some((ColumnOperation::Largest, true))
                }
                ("more" | "fewer", _) if is_before_subject || is_end => {
                    Some((ColumnOperation::Count, false))
                }
                // `what do the invoices come to?`
                // `goes back the furthest`
                ("furthest" | "farthest", _)
                    if is_of(before, "the back") || next == "in" && self.says_past(at) =>
                {
                    Some((ColumnOperation::Smallest, true))
                }
                ("come" | "comes" | "came", "to") if self.ends_clause(at + 1) => {
                    Some((ColumnOperation::Sum, false))
                }
                // `How do the invoices add up in number?`
                ("add", "up") if self.says_in_number() => Some((ColumnOperation::Count, false)),
                ("numerous" | "outnumber" | "outnumbers", _) => {
                    Some((ColumnOperation::Count, false))
                }
                ("number" | "count", "between" | "for" | "of") if is_of(before, "in by the") => {
                    Some((ColumnOperation::Count, false))
                }
                ("first", _) if is_of(before, words!(coming)) => {
                    Some((ColumnOperation::Smallest, true))
                }
                ("last", _) if is_of(before, words!(coming)) => {
                    Some((ColumnOperation::Largest, true))
                }
                ("first", _) if is_before_subject => Some((ColumnOperation::Smallest, true)),
                ("last", _) if is_before_subject => Some((ColumnOperation::Largest, true)),
                ("together", _)
                    if is_of(before, "taken put added") || is_end && self.says_take(at) =>
                {
                    Some((ColumnOperation::Sum, false))
                }
                ("tally", _) if self.is_money_ahead(at) => Some((ColumnOperation::Sum, false)),
                ("more" | "fewer", _) if before == "there" => Some((ColumnOperation::Count, false)),
                // At the beginning of a request `total` is the operation; elsewhere it belongs to the name of a column.
                ("total", _) if at == 0 => Some((ColumnOperation::Sum, false)),
                ("numbers", "of") if self.linked.intent == Intent::Compare => {
                    Some((ColumnOperation::Count, false))
                }
                ("number" | "quantity" | "no", "of") => Some((ColumnOperation::Count, false)),
                // `How many invoices are there from Acme and Bolt combined?`
                (word, _)
                    if is_of(word, "combined altogether aggregate cumulative")
                        && self.asks_how_many() =>
                {
                    Some((ColumnOperation::Count, false))
                }
                (word, _) => words::operation(word),
            };
            if let Some((operation, is_day)) = found {
                self.is_taken[at] = true;
                self.is_taken[at + usize::from(is_pair)] = true;
                self.is_of_most |= is_before_subject && is_of(self.word(at), "most fewest least");
                let known = self.operation;
                let is_stronger = known.is_none_or(|known| rank(operation) > rank(known));
                let weaker = if is_stronger { known } else { Some(operation) };
                self.further.extend(weaker);
                if is_stronger {
                    self.operation = Some(operation);
                    self.table.is_day = is_day;
                    let is_most = matches!(
                        operation,
                        ColumnOperation::Largest | ColumnOperation::Smallest
                    );
                    self.table.limit = is_most.then(|| self.limit_beside(at));
                }
            }
            at += 1;
        }
    }

    /// Whether `in the past` stands behind a token.
    fn says_past(&self, at: usize) -> bool {
        let mut behind = self.linker.tokens[at..].iter().take(4);
        behind.any(|token| token.lower == "past")
    }

    fn says_in_number(&self) -> bool {
        (1..self.is_taken.len()).any(|at| (self.word(at - 1), self.word(at)) == ("in", "number"))
    }

    fn asks_how_many(&self) -> bool {
        (1..self.is_taken.len()).any(|at| (self.word(at - 1), self.word(at)) == ("how", "many"))
    }

    /// Whether a clause ends with a token, or goes on with a group.
    fn ends_clause(&self, at: usize) -> bool {
        let next = self
            .linker
            .tokens
            .get(at + 1)
            .map_or("", |next| next.lower.as_str());
        self.linker.tokens[at].is_last
            || is_of(next, "for in")
            || next.is_empty()
            || words::is_per(next)
    }

    /// The number of documents that is wanted: `top 5`, `three largest`. Without a number, a plural means a few and a
    /// singular means one.
    fn limit_beside(&mut self, at: usize) -> usize {
        for near in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
            let Some(token) = self
                .linker
                .tokens
                .get(near)
                .filter(|_| !self.is_taken[near])
            else {
                continue;
            };
            let spelled = NUMBERS
                .iter()
                .position(|word| *word == token.lower)
                .map(|place| place + 2);
            if let Some(number) = token
                .lower
                .parse()
                .ok()
                .or(spelled)
                .filter(|number| *number > 0)
            {
                self.is_taken[near] = true;
                return number;
            }
        }
        // `Among the invoices, which has the lowest total?`
        let mut pairs = (0..at).filter(|at| is_of(self.word(*at), "which what"));
        let is_one = pairs.any(|at| {
            is_of(
                self.linker.tokens.get(at + 1).map_or("", |t| &t.lower),
                "has is was had one bears carries shows came comes",
            )
        });
        // `Where is the total highest among the invoices?`
        let is_one = is_one || self.word(0) == "where";
        // `Which of our invoices has the lowest total?`
        let is_singular =
            (0..at).any(|at| is_of(self.word(at), "has is was had goes bears carries shows"));
        let is_one = is_one || (self.word(0), self.word(1)) == ("which", "of") && is_singular;
        // `Of the invoices, the largest`, `state the one with the lowest total`.
        let is_one = is_one
            || is_of(self.word(0), "of among amongst")
            || (1..self.is_taken.len()).any(|at| {
                self.word(at) == "one" && is_of(self.word(at - 1), "the which single only")
            });
        // In `highest amount invoices from Acme` the amount is highest, and not a document.
        let begins = (0..at).all(|at| is_of(self.word(at), "the our"));
        // In `largest Acme invoices` a name stands between.
        let is_named = |at: usize| self.mentions.iter().any(|mention| mention.contains(&at));
        let is_beside = self
            .linker
            .frame
            .subject
            .as_ref()
            .is_some_and(|subject| (at + 1..self.noun_start(subject)).all(is_named));
        let is_one = is_one || begins && !is_beside;
        match self.is_plural() && !is_one && !is_of(self.word(at), "first last") {
            true => MOST_OF_MANY,
            false => 1,
        }
    }

    pub(super) fn is_plural(&self) -> bool {
        let subject = self.linker.frame.subject.clone();
        let last = subject.and_then(|subject| self.linker.tokens[subject].last());
        last.is_some_and(|last| {
            let key = fold::key(&last.text);
            fold::singular(&key) != key
        })
    }
}
