//! Words that mean the same in questions and documents: a small table, not a thesaurus.

use llm::words;
use std::collections::HashMap;

/// Groups of words that stand for one another. The first one is the most usual: refined queries try
/// the others in order.
const GROUPS: &[&[&str]] = &[
    &["cost", "price", "charge", "fee", "priced"],
    &["buy", "purchase", "order", "procure", "procurement"],
    &["employee", "staff", "worker", "personnel"],
    &["holiday", "vacation", "leave"],
    &["maximum", "max", "highest", "most"],
    &["minimum", "min", "lowest", "least"],
    &[
        "start",
        "begin",
        "commence",
        "commencement",
        "began",
        "begun",
    ],
    &["end", "expire", "expiry", "expiration"],
    &["terminate", "termination", "cancel", "cancellation"],
    &["pay", "payment", "paid", "payable"],
    &["due", "deadline"],
    &["vendor", "supplier", "seller"],
    &["customer", "client", "buyer"],
    &["company", "firm", "organisation", "organization"],
    &["phone", "telephone", "tel"],
    &["email", "mail"],
    &["address", "located", "location"],
    &["boss", "manager", "head", "lead"],
    &["author", "wrote", "written", "write"],
    &["approve", "approval", "authorise", "authorize"],
    &["responsible", "charge", "accountable", "owner"],
    &["temperature", "temp"],
    &["number", "no", "nr"],
    &["quantity", "qty"],
    &["fix", "repair", "resolve", "resolution"],
    &["error", "fault", "failure", "fail"],
    &["outage", "downtime", "interruption"],
    &["limit", "cap", "ceiling"],
    &["replace", "replacement", "swap"],
    &["deliver", "delivery", "ship", "shipment", "shipping"],
    &["warranty", "guarantee"],
    &["tax", "vat"],
    &["weight", "weigh"],
    &["length", "long"],
    &["height", "high", "tall"],
    &["founded", "established", "founding"],
    &["car", "vehicle"],
    &["meeting", "session"],
    &["issue", "issued", "issuer"],
    &["decide", "decision", "decided"],
    &["choose", "chose", "chosen", "choice"],
];

/// Number words and their digits.
const NUMBERS: &[(&str, &str)] = &[
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
];

/// Looks words up by what they mean.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// Stem to the key that stands for it.
    keys: HashMap<String, String>,
}

impl Lexicon {
    pub(super) fn new() -> Self {
        let mut keys = HashMap::new();
        for group in GROUPS {
            let key = words::stem(group[0]);
            for word in *group {
                keys.entry(words::stem(word)).or_insert_with(|| key.clone());
            }
        }
        for (word, digits) in NUMBERS {
            keys.insert(words::stem(word), (*digits).to_owned());
        }
        Lexicon { keys }
    }

    /// The key of a word as written: alike for its forms and its synonyms.
    pub(super) fn key(&self, word: &str) -> String {
        let stem = words::stem(&word.to_lowercase());
        match self.keys.get(&stem) {
            Some(key) => key.clone(),
            None => stem,
        }
    }

    /// Other words for a word, most usual first; empty for most.
    pub(super) fn synonyms(&self, word: &str) -> Vec<&'static str> {
        let stem = words::stem(&word.to_lowercase());
        let group = GROUPS
            .iter()
            .find(|group| group.iter().any(|w| words::stem(w) == stem));
        group
            .into_iter()
            .flat_map(|group| group.iter().copied())
            .filter(|w| words::stem(w) != stem)
            .collect()
    }

    /// The keys of all content words of a text, in order.
    pub(super) fn keys(&self, text: &str) -> Vec<String> {
        words::runs(text)
            .filter(|run| !words::is_stop(&run.to_lowercase()))
            .map(|run| self.key(run))
            .collect()
    }
}

/// Whether two keys are forms of one word that the stemmer keeps apart: `terminat`, `termination`.
pub(super) fn akin(a: &str, b: &str) -> bool {
    let same = a
        .chars()
        .zip(b.chars())
        .take_while(|(x, y)| x == y && x.is_alphabetic())
        .count();
    let shorter = a.chars().count().min(b.chars().count());
    same >= 5 && same + 1 >= shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_synonyms_share_a_key() {
        let lexicon = Lexicon::new();
        assert_eq!(lexicon.key("Prices"), lexicon.key("cost"));
        assert_eq!(lexicon.key("payable"), lexicon.key("payments"));
        assert_eq!(lexicon.key("thirty"), "30");
        assert_ne!(lexicon.key("voltage"), lexicon.key("current"));
        assert_eq!(lexicon.synonyms("vendors"), ["supplier", "seller"]);
        assert!(lexicon.synonyms("zebra").is_empty());
    }

    #[test]
    fn akin_words_differ_only_at_the_end() {
        assert!(akin("calibrat", "calibration"));
        assert!(!akin("contract", "contrast"));
        assert!(!akin("2024", "2024"));
    }
}
