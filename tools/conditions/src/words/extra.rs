//! The names in `Half::Extra`, which is for tuning, too. They are of another style than those of dev, and their
//! author had not seen those of test.

use super::{Called, ShelfWords, Words, fixed};
use crate::field::{Field, Shelf};

#[rustfmt::skip]
pub(crate) const WORDS: Words = Words {
    roots: &[
        "Aldworth", "Amundsen", "Barrowby", "Bellini", "Brannigan", "Carstairs", "Chaudhry", "Cresswell", "Dufresne", "Engstrom",
        "Fairclough", "Falkner", "Gilchrist", "Gundersen", "Haverstock", "Hoxton", "Iversen", "Jankowski", "Kettering", "Kirchner",
        "Lachapelle", "Lombardi", "Maddox", "Montrose", "Nyberg", "Ogilvie", "Papadakis", "Pickering", "Quintero", "Ravensworth",
        "Sorensen", "Stapleton", "Tarkowski", "Trevelyan", "Umberto", "Vasquez", "Whitcombe", "Wojcik", "Xanthos", "Zimmerli",
    ],
    trades: &["Steel", "Paper", "Freight", "Electronics", "Glassworks", "Dairy", "Pharma", "Timber", "Aviation", "Plastics"],
    suffixes: &["PLC", "AG", "LLC", "SpA", "NV", "AB"],
    similar: &[
        (fixed("Marlowe Freight", "PLC", 1), fixed("Marlow Freight", "AG", 1)),
        (fixed("Sundell Steel", "AB", 1), fixed("Sundell Steelworks", "NV", 1)),
    ],
    one_letter: &[fixed("Q", "AG", 1), fixed("B Plastics", "LLC", 1)],
    word_names: &[fixed("Orbit", "PLC", 3), fixed("June", "AB", 1), fixed("Level", "LLC", 1)],
    acronyms: &[(fixed("North Shore Shipping", "PLC", 1), fixed("Nordic Silica Services", "AB", 1))],
    fiscal: &[
        fixed("Ashdown Dairy", "PLC", 4), fixed("Coldharbour Timber", "LLC", 9), fixed("Silverton Aviation", "AG", 7),
    ],
    lone_acronym: fixed("Greater Fenland Water", "PLC", 1),
    cost_bearers: &["facilities", "research", "marketing", "fleet", "legal affairs"],
    subjects: &["security services", "licensing", "waste disposal", "staffing", "insurance"],
    part_types: &["schottky diode", "power inductor", "tactile switch", "crystal oscillator"],
    packages: &["QFN-16", "SOIC-14", "0805", "TO-92"],
    standards: &["IATF 16949", "ISO 27001", "ISO 50001", "EN 9100"],
    bodies: &["Sterling Audits", "Polaris Certification", "Meridian Mark"],
    sites: &["Bristol", "Ghent", "Malmo", "Trieste", "Brno", "Cork"],
    articles: &[
        "toner set", "steel bracket", "forklift hire", "window cleaning", "server rack", "copper wire", "paint thinner", "desk lamp",
        "gear oil", "door closer",
    ],
    invoice_natures: ["supplier bill", "refund slip", "duplicate bill"],
    contract_natures: ["agreement", "addendum"],
    report_natures: &["annual report", "20-F", "remuneration report"],
    joint: "~",
    fiscal_sentence: "The financial year of the group closes on {} and bears the number of the year in which it closes.",
    fiscal_key: "year_closes",
    first_year: 2018,
    last_year: 2024,
    shelves: &[INVOICES, CONTRACTS, DATASHEETS, CERTIFICATES, REPORTS],
};

#[rustfmt::skip]
const fn called(
    field: Field, column: &'static str, alias: &'static str, label: &'static str,
    sentence: &'static str, token: (&'static str, &'static str), description: &'static str,
) -> Called {
    Called { field, column, alias, label, sentence, token, description }
}

#[rustfmt::skip]
const INVOICES: ShelfWords = ShelfWords {
    shelf: Shelf::Invoices,
    folder: "payables",
    has_schema: true,
    neutral_title: "Received by post",
    fields: &[
        called(Field::Company, "supplier", "billed_by", "Billed by", "Charges are raised by {} under its usual terms.",
            ("", "/"), "Firm that sent us the bill"),
        called(Field::Number, "bill_ref", "our_ref", "Reference", "Cite {} whenever you write to us.",
            ("ref.", ""), "Reference printed on the bill"),
        called(Field::Nature, "record_kind", "paper_kind", "Paper", "Enclosed you find a {} for the period.",
            ("k.", ""), "One of: supplier bill, refund slip, duplicate bill"),
        called(Field::Date, "billed_on", "raised_on", "Raised on", "Raised on {} by the accounts desk.",
            ("d.", ""), "Day the bill was raised"),
        called(Field::Due, "pay_by", "settle_by", "Pay by", "Kindly settle it by {} at the latest.",
            ("pay.", ""), "Last day for payment"),
        called(Field::Net, "subtotal", "untaxed", "Subtotal", "Without VAT that makes {} for you.",
            ("sub.", ""), "Sum of the lines before VAT"),
        called(Field::Amount, "grand_total", "payable_sum", "Grand total", "With VAT that makes {} in all.",
            ("tot.", ""), "What has to be paid including VAT; below zero for refunds"),
        called(Field::Currency, "money", "money_code", "Billed in", "Sums are quoted in {} throughout the paper.",
            ("cur.", ""), "ISO code of the currency"),
        called(Field::Category, "budget", "budget_line", "Budget", "Please book it to the {} budget.",
            ("bud.", ""), "Budget that it is booked to"),
    ],
    filler: &[
        "Parking is available behind the depot.",
        "Our new opening hours hold from spring on.",
        "Complaints reach us by letter or by phone.",
        "The driver needs a signature on delivery.",
        "Pallets stay our property.",
    ],
    aside: "Transport was arranged through {} as before.",
};

#[rustfmt::skip]
const CONTRACTS: ShelfWords = ShelfWords {
    shelf: Shelf::Contracts,
    folder: "legal-agreements",
    has_schema: false,
    neutral_title: "Deed in two originals",
    fields: &[
        called(Field::Company, "other_side", "contracting_firm", "Other side", "Made between Ruxley Mills and {} of the other part.",
            ("", ""), "Firm on the other side"),
        called(Field::Number, "file_no", "folio", "File no", "Kept in the strongroom as {} since signing.",
            ("", ""), "Number under which it is filed"),
        called(Field::Nature, "instrument", "deed_kind", "Instrument", "Both sides execute this {} by hand.",
            ("", ""), "Whether it is an agreement or an addendum to one"),
        called(Field::Category, "matter", "concerns", "Matter", "Its object is {} within the works.",
            ("", ""), "What is agreed on"),
        called(Field::Date, "in_force_from", "commencement", "In force from", "In force from {} onward.",
            ("", ""), "First day it is in force"),
        called(Field::Due, "in_force_to", "expiry", "In force to", "In force up to {} and no longer.",
            ("", ""), "Last day it is in force"),
        called(Field::Amount, "consideration", "price_agreed", "Consideration", "The consideration is {} for everything.",
            ("", ""), "Money that changes hands"),
        called(Field::Currency, "tender", "tender_code", "Tender", "Sums fall due in {} alone.",
            ("", ""), "Currency of the consideration"),
        called(Field::Notice, "exit_days", "exit_notice", "Days to exit", "It may be left with {} days of warning.",
            ("", ""), "How many days ahead it can be left"),
    ],
    filler: &[
        "Headings are for convenience alone.",
        "Each side bears its own costs of counsel.",
        "Force majeure suspends what is owed.",
        "Copies by wire count as originals.",
    ],
    aside: "An offer by {} was turned down before.",
};

#[rustfmt::skip]
const DATASHEETS: ShelfWords = ShelfWords {
    shelf: Shelf::Datasheets,
    folder: "parts",
    has_schema: false,
    neutral_title: "Technical information",
    fields: &[
        called(Field::Company, "brand", "origin_brand", "Brand", "You buy a product of {} here.",
            ("", ""), "Whose product it is"),
        called(Field::Number, "model", "order_code", "Model", "The order code reads {} in full.",
            ("", ""), "Order code"),
        called(Field::Category, "family", "part_family", "Family", "We call this a {} of the second generation.",
            ("", ""), "Family of parts"),
        called(Field::Volts, "rated_volts", "u_max", "Rated voltage", "Apply no more than {} V to it.",
            ("", ""), "Voltage it stands, in V"),
        called(Field::Amps, "rated_amps", "i_max", "Rated current", "Draw no more than {} A from it.",
            ("", ""), "Current it stands, in A"),
        called(Field::Package, "outline", "case", "Outline", "Its outline is {} by industry custom.",
            ("", ""), "Outline of the case"),
        called(Field::Date, "edition", "edition_day", "Edition of", "Edition of {} from the applications group.",
            ("", ""), "Day of this edition"),
    ],
    filler: &[
        "Typical values are not guaranteed.",
        "Solder for ten seconds at most.",
        "Samples are free for universities.",
        "Consult the errata before layout.",
    ],
    aside: "Drop-in parts of {} differ in height.",
};

#[rustfmt::skip]
const CERTIFICATES: ShelfWords = ShelfWords {
    shelf: Shelf::Certificates,
    folder: "certifications",
    has_schema: true,
    neutral_title: "Audited and found in order",
    fields: &[
        called(Field::Company, "owner", "awarded_to", "Awarded to", "Awarded to {} after an audit in two stages.",
            ("", "/"), "Firm that was certified"),
        called(Field::Number, "register_no", "cert_id", "Register no", "Entered in our books as {} that day.",
            ("id.", ""), "Number in the register"),
        called(Field::Category, "scheme", "under_norm", "Scheme", "Audited against {} without findings.",
            ("norm.", ""), "Norm that was audited"),
        called(Field::Body, "auditor", "audited_by", "Auditor", "The lead auditor came from {} for a week.",
            ("aud.", ""), "Who audited"),
        called(Field::Site, "works", "plant", "Works", "The scope is limited to the {} works.",
            ("at.", ""), "Town of the plant"),
        called(Field::Date, "granted", "granted_on", "Granted", "Granted on {} by the committee.",
            ("g.", ""), "Day of grant"),
        called(Field::Due, "lapses", "lapses_on", "Lapses", "It lapses on {} without renewal.",
            ("l.", ""), "Day after which it lapses"),
    ],
    filler: &[
        "The seal may be printed on letters.",
        "Appeals go to the panel.",
        "Changes of staff are to be reported.",
        "Auditors rotate every other cycle.",
    ],
    aside: "Calibration is left to {} under contract.",
};

#[rustfmt::skip]
const REPORTS: ShelfWords = ShelfWords {
    shelf: Shelf::Reports,
    folder: "investor-publications",
    has_schema: true,
    neutral_title: "Letter of the chair",
    fields: &[
        called(Field::Company, "group", "reporting_group", "Group", "For {} these were twelve good months.",
            ("", "/"), "Group that publishes it"),
        called(Field::Nature, "publication", "publication_kind", "Publication", "You hold our {} in your hands.",
            ("p.", ""), "annual report, 20-F or remuneration report"),
        called(Field::Year, "reporting_year", "covers_year", "Covers", "It covers the reporting year {} in full.",
            ("y.", ""), "Year that is covered"),
        called(Field::Date, "released_on", "out_on", "Released", "Released on {} before the markets opened.",
            ("r.", ""), "Day of release"),
        called(Field::Amount, "group_turnover", "net_sales", "Turnover", "Turnover stood at {} for the group.",
            ("t.", ""), "Turnover of the group"),
        called(Field::Currency, "stated_in", "stated_currency", "Stated in", "All figures are stated in {} here.",
            ("in.", ""), "Currency of the figures"),
    ],
    filler: &[
        "The order book is well filled.",
        "Two members of the board stood down.",
        "Freight rates came back to earth.",
        "We sold the brewery.",
    ],
    aside: "ConversationSource with {} came to nothing.",
};
