//! Words that people use for one another when they speak of days and amounts: `expiring` of an end, `payable` of what is
//! due. Pure.
//!
//! English, and short: what a schema describes in its own words is compared first. *Not* a list of anything that stands
//! in documents.

/// Words that stand for one another, by their stems.
const FAMILIES: [&str; 15] = [
    "end ended ending ends expire expires expiry expiring expiration terminate terminates terminating termination lapse \
     lapses lapsing finish finishes finishing close closing until out over",
    "start started starting starts begin begins beginning began commence commences commencing commencement effective \
     from opens opening force",
    "due payable pay paid payment deadline settle settled settlement",
    "issue issued issuing date dated raised sent written drawn billed invoiced made created creation day",
    "publish published publication release released releasing appear appeared",
    "revise revised revision update updated version edit edited amended changed",
    "sign signed signature concluded agreed",
    "total gross sum overall altogether full including inclusive",
    "net before excluding without exclusive untaxed pretax",
    "value worth valued volume",
    "price cost costs costing priced charge fee",
    "revenue turnover sales income earned earnings",
    "voltage volt volts",
    "current ampere amperes amp amps amperage",
    "notice period term duration length",
];

/// Fewest letters of a root that two words share.
const ROOT_MIN: usize = 5;

/// Whether two words, in lower case, are of one family: the same but for their endings, or used for one another.
pub(crate) fn alike(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (stem, other_stem) = (text::words::stem(one), text::words::stem(other));
    if stem == other_stem {
        return true;
    }
    let (short, long) = match stem.len() < other_stem.len() {
        true => (stem, other_stem),
        false => (other_stem, stem),
    };
    short.chars().count() >= ROOT_MIN && long.starts_with(&short)
}

/// Whether two words, in lower case, are used for one another.
pub(crate) fn stand_for_one_another(one: &str, other: &str) -> bool {
    let has =
        |family: &&str, word: &str| family.split_ascii_whitespace().any(|known| known == word);
    FAMILIES
        .iter()
        .any(|family| has(family, one) && has(family, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family() {
        assert!(
            alike("revised", "revision") && alike("ending", "end") && alike("invoices", "invoice")
        );
        assert!(!alike("start", "state") && !alike("date", "data"));
        assert!(
            stand_for_one_another("expiring", "end") && stand_for_one_another("payable", "due")
        );
        assert!(!stand_for_one_another("due", "end"));
    }
}
