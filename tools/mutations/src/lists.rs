//! The lists of words for rewordings and changes. They are *not* those of the check, because a measurement that
//! shares its lists with the check would measure the lists.

/// Words that may replace each other in nearly any sentence, for the rewordings of dev.
pub(crate) const SYNONYMS_DEV: &[(&str, &str)] = &[
    ("said", "stated"),
    ("however", "nevertheless"),
    ("while", "whereas"),
    ("big", "large"),
    ("began", "started"),
    ("shows", "demonstrates"),
    ("many", "numerous"),
    ("helped", "assisted"),
    ("buy", "purchase"),
    ("bought", "purchased"),
    ("roughly", "approximately"),
    ("whole", "entire"),
    ("often", "frequently"),
    ("got", "received"),
    ("film", "movie"),
    ("wants", "wishes"),
    ("mainly", "mostly"),
    ("charged", "billed"),
    ("signed", "executed"),
];

/// The same kind of words, for the rewordings of test.
pub(crate) const SYNONYMS_TEST: &[(&str, &str)] = &[
    ("told", "informed"),
    ("announced", "declared"),
    ("used", "utilised"),
    ("company", "firm"),
    ("started", "commenced"),
    ("also", "additionally"),
    ("quickly", "rapidly"),
    ("although", "though"),
    ("huge", "enormous"),
    ("allows", "permits"),
    ("allow", "permit"),
    ("despite", "in spite of"),
    ("almost", "nearly"),
    ("likely", "probably"),
    ("currently", "at present"),
    ("agreement", "contract"),
    ("supplied", "provided"),
    ("show", "display"),
    ("game", "match"),
    ("choose", "select"),
    ("purchase", "buy"),
    ("additional", "further"),
    ("important", "significant"),
    ("job", "position"),
    ("car", "vehicle"),
];

/// Full forms with their contractions.
pub(crate) const CONTRACTIONS: &[(&str, &str)] = &[
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"),
    ("has not", "hasn't"),
    ("have not", "haven't"),
    ("had not", "hadn't"),
    ("will not", "won't"),
    ("would not", "wouldn't"),
    ("could not", "couldn't"),
    ("should not", "shouldn't"),
    ("cannot", "can't"),
    ("it is", "it's"),
    ("they are", "they're"),
    ("that is", "that's"),
    ("we are", "we're"),
];

/// Numbers in words, from two.
pub(crate) const NUMBERS: [&str; 11] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Companies whose legal form adds nothing to the name.
pub(crate) const COMPANIES: &[&str] = &[
    "Google",
    "Apple",
    "Microsoft",
    "Netflix",
    "Nvidia",
    "Intel",
    "Tesla",
    "Alphabet",
    "Spotify",
    "Samsung",
    "OpenAI",
    "Epic",
    "Mattel",
    "Walmart",
    "Alameda",
    "Snapchat",
    "Roblox",
    "Flexport",
];

/// Words that begin a clause that may be moved to the front.
pub(crate) const FRONTED: &[&str] = &[
    "when", "because", "although", "if", "while", "after", "before", "once", "unless",
];

/// Words that begin the end of a sentence that may be dropped.
pub(crate) const TAILS: &[&str] = &[
    "which",
    "who",
    "with",
    "including",
    "according",
    "while",
    "as",
    "but",
    "where",
    "when",
    "following",
    "making",
    "leaving",
    "whose",
    "giving",
    "and",
];

/// Words that are written in lower case when they no longer begin a sentence.
pub(crate) const SMALL: &[&str] = &[
    "The", "A", "An", "It", "He", "She", "They", "We", "This", "That", "These", "Those", "In",
    "On", "At", "If", "When", "While", "After", "Before", "But", "And", "So", "For", "With",
    "There", "His", "Her", "Their", "Its", "Our", "Some", "Many", "Most", "As", "Although",
    "Either", "Neither", "Prices", "Invoices", "No", "All", "Each", "Every",
];

/// Names that nobody has.
pub(crate) const INVENTED: [&str; 16] = [
    "Zorvex",
    "Marlenko",
    "Quintaval",
    "Ostrevane",
    "Bellowick",
    "Drenthorpe",
    "Yarrowgate",
    "Velloro",
    "Kastrupp",
    "Ulmenford",
    "Pryderoth",
    "Sandovik",
    "Torquemar",
    "Whistlund",
    "Ebbersley",
    "Jaskowitz",
];

/// Units, each with its replacement.
pub(crate) const UNITS: &[(&str, &str)] = &[
    ("million", "billion"),
    ("billion", "million"),
    ("thousand", "million"),
    ("days", "weeks"),
    ("weeks", "months"),
    ("months", "years"),
    ("years", "months"),
    ("hours", "days"),
    ("minutes", "hours"),
    ("miles", "kilometres"),
    ("km", "m"),
    ("kg", "g"),
    ("mm", "cm"),
    ("V", "mV"),
    ("mA", "A"),
    ("A", "mA"),
    ("EUR", "USD"),
    ("year", "month"),
    ("month", "week"),
    ("day", "month"),
    ("yards", "metres"),
    ("pounds", "dollars"),
    ("dollars", "pounds"),
    ("kHz", "MHz"),
    ("mW", "W"),
    ("W", "kW"),
    ("bar", "kPa"),
    ("metres", "miles"),
    ("inches", "feet"),
    ("seconds", "minutes"),
];

/// Comparisons, each with its opposite.
pub(crate) const COMPARATORS: &[(&str, &str)] = &[
    ("at least", "at most"),
    ("at most", "at least"),
    ("more than", "less than"),
    ("less than", "more than"),
    ("fewer than", "more than"),
    ("over", "under"),
    ("under", "over"),
    ("above", "below"),
    ("below", "above"),
    ("before", "after"),
    ("after", "before"),
    ("higher than", "lower than"),
    ("lower than", "higher than"),
    ("longer than", "shorter than"),
    ("no later than", "no earlier than"),
    ("not exceed", "not fall below"),
    ("earlier than", "later than"),
    ("later than", "earlier than"),
    ("minimum", "maximum"),
    ("maximum", "minimum"),
];

/// Comparisons that are idioms unless a number follows.
pub(crate) const COUNTED: &[&str] = &[
    "more than",
    "less than",
    "fewer than",
    "over",
    "under",
    "at least",
    "at most",
    "above",
    "below",
];

/// Verbs that a negation may follow.
pub(crate) const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "will", "can", "could", "should", "would", "must", "may", "has",
    "have", "had", "did", "does",
];

/// Words that begin a clause which is not the main one.
pub(crate) const SUBORDINATE: &[&str] = &[
    "that", "which", "who", "whose", "whom", "when", "where", "if", "because", "as", "while",
    "although", "though", "since", "after", "before", "until", "unless", "than", "whether", "what",
    "how", "why", "once", "so",
];
