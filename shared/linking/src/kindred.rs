//! Related words that people use for days and amounts: `expiring` for an end, `payable` for what is due. Pure.
//!
//! The list is English and short, because the words of a schema's own descriptions are compared first. It does *not*
//! list anything that documents contain.

use std::collections::HashMap;
use std::sync::LazyLock;
use text::fold;
use text::is_of;

/// Groups of words that stand for one another, one string for each group.
const FAMILIES: [&str; 17] = [
    "end ended ending ends renewal renew renews renewed expire expires expired expiry expiring expiration terminate terminates terminated terminating \
     termination lapse lapses lapsed lapsing finish finishes finishing close closing until out over run runs running ran cease ceases ceased ceasing cessation stop stops stopping \
     valid validity good to till thru through",
    "kick kicks kicking underway way start started starting starts begin begins beginning began commence commences commencing commencement effective \
     effect force inception entered enter entering from since opens opening",
    "due payable pay paid paying payment deadline settle settled settlement owed owing falls falling fall mature matures \
     maturity",
    "issue issued issuing issuance date dated raised sent written writing drawn billed invoiced made created creation day received booked \
     stamped",
    "grant granted granting award awarded awarding issue issued certified given conferred",
    "publish published publishing printed printing publication release released releasing releases appear appeared appearing out filed",
    "revise revised revision update updated version edit edited edition amended changed",
    "sign signed signing signature concluded agreed executed",
    "total gross sum overall altogether full including inclusive incl all",
    "net before excluding without exclusive untaxed pretax pre subtotal excl",
    "value worth valued volume",
    "price cost costs costing priced charge fee",
    "revenue turnover sales income earned earnings",
    "voltage volt volts",
    "current ampere amperes amp amps amperage ampacity",
    "notice period term duration length",
    "currency denomination denominated money",
];

/// Groups of nouns for who or what a column names, one string for each group. A column of days or amounts may have them in
/// its description, too, so they do not count there.
const ROLES: [&str; 15] = [
    "supplier vendor seller provider biller merchant creditor payee",
    "contractor subcontractor supplier vendor provider",
    "customer client buyer purchaser payer debtor",
    "manufacturer maker producer brand",
    "counterparty party partner side",
    "publisher issuer author source",
    "site plant location premises place town city establishment facility locality",
    "department unit function team division budget",
    "auditor assessor registrar body certifier inspector",
    "holder owner bearer",
    "category class type kind sort nature",
    "standard norm scheme rule",
    "package enclosure housing case casing body shell outline",
    "company firm business organisation organization entity enterprise corporation",
    "subject object matter scope topic purpose",
];

/// The families and the roles of each known word, one bit each.
static KNOWN: LazyLock<HashMap<&str, (u32, u32)>> = LazyLock::new(|| {
    let mut known: HashMap<&str, (u32, u32)> = HashMap::new();
    for (place, family) in FAMILIES.iter().enumerate() {
        for word in family.split_ascii_whitespace() {
            known.entry(word).or_default().0 |= 1 << place;
        }
    }
    for (place, role) in ROLES.iter().enumerate() {
        for word in role.split_ascii_whitespace() {
            known.entry(word).or_default().1 |= 1 << place;
        }
    }
    known
});

/// The fewest letters of a root that two words share.
const ROOT_MIN: usize = 5;

/// A word prepared for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kin {
    word: String,
    stem: String,
    /// The families that contain the word, one bit each.
    families: u32,
    /// The groups of nouns that contain the word or its plural, one bit each.
    roles: u32,
}

impl Kin {
    /// Prepares a word, which has to be in lower case.
    pub(crate) fn of(word: &str) -> Kin {
        let (families, _) = KNOWN.get(word).copied().unwrap_or_default();
        let (_, roles) = KNOWN
            .get(fold::singular(word).as_str())
            .or_else(|| KNOWN.get(word))
            .copied()
            .unwrap_or_default();
        Kin {
            word: word.to_owned(),
            stem: text::words::stem(word),
            families,
            roles,
        }
    }

    /// Whether two words have the same root and differ at most in their endings.
    pub(crate) fn is_like(&self, other: &Kin) -> bool {
        if self.word == other.word || self.stem == other.stem {
            return true;
        }
        let (short, long) = match self.stem.len() < other.stem.len() {
            true => (&self.stem, &other.stem),
            false => (&other.stem, &self.stem),
        };
        short.chars().count() >= ROOT_MIN && long.starts_with(short.as_str())
    }

    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    /// Whether two words have the same stem: `spent` and `spends` do not, `bill` and `billing` do.
    pub(crate) fn is_form_of(&self, other: &Kin) -> bool {
        self.word == other.word || self.stem == other.stem
    }

    /// Whether two words belong to one family.
    pub(crate) fn stands_for(&self, other: &Kin) -> bool {
        self.families & other.families != 0
    }

    /// Whether two nouns are for the same kind of person or thing.
    pub(crate) fn plays_role_of(&self, other: &Kin) -> bool {
        self.roles & other.roles != 0
    }

    /// Whether the word is one of those in a list.
    pub(crate) fn is_of(&self, words: &str) -> bool {
        is_of(&self.word, words)
    }

    /// Whether the word means something by itself. `from` and `over` do so only as part of a column's name.
    pub(crate) fn is_telling(&self) -> bool {
        !is_of(&self.word, words!(function_words))
    }
}
