//! The names in `Half::Third`, as a clerk who keeps the books of a small firm uses them in everyday work.

use super::{Called, ShelfWords, Words, fixed};
use crate::field::{Field, Shelf};

#[rustfmt::skip]
pub(crate) const WORDS: Words = Words {
    roots: &[
        "Alderson", "Balfour", "Birchall", "Brunskill", "Brockway", "Camargo", "Cavendish", "Chadwick", "Dabrowski", "Dempsey",
        "Ellingham", "Esposito", "Fitzroy", "Forsberg", "Garrick", "Gonzaga", "Hathaway", "Heikkila", "Ivanhoe", "Jardine",
        "Kershaw", "Kristensen", "Lathbury", "Lundgren", "Mancini", "Mulholland", "Nesbitt", "Ostler", "Penhaligon", "Quarmby",
        "Rowbotham", "Sinclair", "Skovgaard", "Tredwell", "Underhill", "Villiers", "Wainwright", "Yewdale", "Zamora", "Zetterlund",
    ],
    trades: &["Stationery", "Ceramics", "Bedding", "Gardens", "Tools", "Toys", "Bakery", "Lighting", "Carpets", "Motors"],
    suffixes: &["Pty", "Co", "SARL", "SRL", "KG", "ApS"],
    similar: &[
        (fixed("Penrose Cycles", "Co", 1), fixed("Penrose Cycling", "KG", 1)),
        (fixed("Graystone Ceramics", "Pty", 1), fixed("Greystone Ceramics", "SRL", 1)),
    ],
    one_letter: &[fixed("J", "Co", 1), fixed("W Bedding", "ApS", 1)],
    word_names: &[fixed("Button", "Pty", 3), fixed("April", "SARL", 1), fixed("Plenty", "Co", 1)],
    acronyms: &[(fixed("Eastern Gravel Transport", "Pty", 1), fixed("Elmstead Garden Tillers", "ApS", 1))],
    fiscal: &[
        fixed("Oakhanger Motors", "Co", 4), fixed("Fernleigh Bakery", "Pty", 10), fixed("Millbrook Lighting", "SRL", 7),
    ],
    lone_acronym: fixed("Hillside Lane Catering", "Co", 1),
    cost_bearers: &["canteen", "workshop", "reception", "field sales", "night shift"],
    subjects: &["gardening", "broadband", "alarm monitoring", "uniform hire", "coffee machines"],
    part_types: &["signal relay", "zener diode", "trimmer resistor", "slide switch"],
    packages: &["DPAK", "SOD-123", "TSSOP-8", "TO-247"],
    standards: &["ISO 15189", "ISO 22000", "ISO 20121", "EN 15085"],
    bodies: &["Bluestone Checks", "Ferrand Testing", "Oakmark Inspectors"],
    sites: &["Derby", "Utrecht", "Aarhus", "Verona", "Olomouc", "Galway"],
    articles: &[
        "box of staples", "printer paper", "coffee beans", "floor mop", "light bulb", "padlock", "van tyre", "wall clock",
        "roll of tape", "garden chair",
    ],
    invoice_natures: ["incoming bill", "return note", "repeat bill"],
    contract_natures: ["deal", "change sheet"],
    report_natures: &["yearbook", "40-F", "pay gap statement"],
    joint: ",",
    fiscal_sentence: "The business year of this firm is over on {} each time and goes by the year that it is over in.",
    fiscal_key: "books_closed_on",
    first_year: 2017,
    last_year: 2023,
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
    folder: "bills-in",
    has_schema: true,
    neutral_title: "Found in the letter box",
    fields: &[
        called(Field::Company, "payee", "pay_to", "Pay to", "Send the money to {} and nobody else.",
            ("", "/"), "The firm that wants our money, the one we buy from"),
        called(Field::Number, "slip_no", "their_no", "Their no", "Write {} on the transfer so that we can find it.",
            ("num ", ""), "The number that the firm put on it"),
        called(Field::Nature, "slip_sort", "what_it_is", "What it is", "What you hold is a {} from our front office.",
            ("sort ", ""), "incoming bill, return note, or repeat bill if it came a second time"),
        called(Field::Date, "written_on", "bill_day", "Written on", "We wrote it on {} after closing time.",
            ("day ", ""), "The day that the bill bears, when it was made out"),
        called(Field::Due, "deadline", "money_by", "Deadline", "We want to see the money by {} in our account.",
            ("till ", ""), "The last day on which we can pay without a reminder"),
        called(Field::Net, "before_vat", "bare_price", "Before VAT", "That is {} before the VAT goes on.",
            ("bare ", ""), "The price before VAT is added, in the money of the bill"),
        called(Field::Amount, "to_transfer", "with_vat", "To transfer", "With the VAT on it you pay {} altogether.",
            ("pay ", ""), "The full cost with VAT, the money that goes out of our account; less than nothing on a return note"),
        called(Field::Currency, "coin", "coin_code", "Coin", "Prices here are meant in {} and nothing else.",
            ("coin ", ""), "The sort of money it is paid in, three letters"),
        called(Field::Category, "charged_to", "for_team", "For team", "Your {} people ordered it from us.",
            ("team ", ""), "Which of our teams has to bear the cost"),
    ],
    filler: &[
        "Mind the step when you come to the shop.",
        "We are shut on bank holidays.",
        "Our van comes round every Tuesday.",
        "Keep the box in case you want to send something back.",
        "Ask for Maureen if anything is missing.",
        "Thank you for your custom.",
    ],
    aside: "The parcel was brought by {} this time.",
};

#[rustfmt::skip]
const CONTRACTS: ShelfWords = ShelfWords {
    shelf: Shelf::Contracts,
    folder: "deals",
    has_schema: true,
    neutral_title: "Signed at the kitchen table",
    fields: &[
        called(Field::Company, "deal_partner", "struck_with", "Struck with", "Copper Kettle Tearooms and {} shake hands on this.",
            ("", "/"), "The firm that we struck the deal with"),
        called(Field::Number, "folder_no", "spine_no", "Folder no", "Our folder for it says {} on the spine.",
            ("num ", ""), "The number on the folder; a change sheet is in the folder of its deal"),
        called(Field::Nature, "deal_sort", "deal_or_change", "Deal or change", "Both of us put our names under this {} today.",
            ("sort ", ""), "deal, or change sheet to a deal"),
        called(Field::Category, "gets_us", "for_what", "Gets us", "We get {} out of it as long as it lasts.",
            ("gets ", ""), "The service that the deal gets us"),
        called(Field::Date, "kicks_off", "from_day", "Kicks off", "It all starts on {} in the morning.",
            ("day ", ""), "The first day of the deal, when it starts"),
        called(Field::Due, "over_on", "last_day", "Over on", "The fun is over on {} in the evening.",
            ("till ", ""), "The last day of the deal, when it finishes"),
        called(Field::Amount, "whole_price", "price_in_all", "Whole price", "All in all it costs {} from start to finish.",
            ("price ", ""), "What we spend on it from the first day to the last, in the money of the deal"),
        called(Field::Currency, "priced_in", "coin_code", "Priced in", "We pay in {} at all times.",
            ("coin ", ""), "The sort of money of the price"),
        called(Field::Notice, "warning_days", "stop_days", "Warning", "Tell us {} days before you want to stop.",
            ("stop ", " days"), "How many days beforehand we have to tell them that we want to stop"),
    ],
    filler: &[
        "We do not shout at each other on the phone.",
        "A handshake is worth as much as a stamp.",
        "Holidays are settled by whoever asks first.",
        "The spare key stays with the caretaker.",
        "Both of us keep a set of these pages.",
    ],
    aside: "We asked {} as well and were told to wait.",
};

#[rustfmt::skip]
const DATASHEETS: ShelfWords = ShelfWords {
    shelf: Shelf::Datasheets,
    folder: "part-info-sheets",
    has_schema: true,
    neutral_title: "From the drawer with the parts",
    fields: &[
        called(Field::Company, "made_by", "built_by", "Made by", "Built by {} in its own shed.",
            ("", "/"), "The firm that makes the part"),
        called(Field::Number, "catalogue_no", "order_as", "Catalogue no", "On the order form write {} in the first box.",
            ("num ", ""), "What to write on an order to get the part"),
        called(Field::Category, "part_sort", "thing", "Part", "This little thing is a {} for hobby and trade.",
            ("sort ", ""), "The kind of part: a relay, a diode, a resistor, a switch"),
        called(Field::Volts, "volts_tops", "volts_ok", "Volts at the very most", "Do not give it more than {} V ever.",
            ("up to ", " V"), "The most voltage that the part copes with, in volts"),
        called(Field::Amps, "amps_tops", "amps_ok", "Amps at the very most", "Do not pull more than {} A through it.",
            ("up to ", " A"), "The most current that the part copes with, in amps"),
        called(Field::Package, "shell", "body_shape", "Shell", "It sits in a {} body with legs.",
            ("shell ", ""), "The casing that the part comes in"),
        called(Field::Date, "sheet_day", "print_day", "Sheet printed", "This info sheet left the printer on {} at noon.",
            ("day ", ""), "The day on which the info sheet was printed"),
    ],
    filler: &[
        "Keep away from children.",
        "Hold it by its body and not by its legs.",
        "Burns have been known to happen.",
        "Drawings are not to scale.",
        "Wash your hands when you are done.",
    ],
    aside: "Some people use one by {} and are happy.",
};

#[rustfmt::skip]
const CERTIFICATES: ShelfWords = ShelfWords {
    shelf: Shelf::Certificates,
    folder: "quality-badges",
    has_schema: true,
    neutral_title: "To be hung on the wall",
    fields: &[
        called(Field::Company, "badge_of", "who_passed", "Who passed", "Well done to {} for passing the check.",
            ("", "/"), "The firm that has the badge"),
        called(Field::Number, "badge_no", "wall_no", "Badge no", "Keep {} at hand when you ring us.",
            ("num ", ""), "The number of the badge"),
        called(Field::Category, "rule_book", "rules_met", "Rule book", "All points of {} were met.",
            ("rules ", ""), "The rules, a norm, that the badge is for"),
        called(Field::Body, "checked_by", "check_by", "Checked by", "The check was made by {} in person.",
            ("chk ", ""), "The inspectors who made the check"),
        called(Field::Site, "town", "plant_town", "Town", "We only looked at the plant in {} this time.",
            ("town ", ""), "The town of the plant that was looked at"),
        called(Field::Date, "handed_over", "handed_on", "Given out", "Handed over on {} with a handshake.",
            ("day ", ""), "The day on which the badge was handed out"),
        called(Field::Due, "good_till", "counts_till", "Good till", "It counts until {} and not a day more.",
            ("till ", ""), "The last day on which the badge is good"),
    ],
    filler: &[
        "Frames can be had for a small charge.",
        "We drop by once a year for a chat.",
        "Put it where visitors can see it.",
        "Ring us when you move house.",
    ],
    aside: "Some of the work is done by {} down the road.",
};

#[rustfmt::skip]
const REPORTS: ShelfWords = ShelfWords {
    shelf: Shelf::Reports,
    folder: "company-write-ups",
    has_schema: false,
    neutral_title: "How the year went",
    fields: &[
        called(Field::Company, "firm", "about_firm", "Firm", "Here is how {} got on.",
            ("", ""), "The firm that it is about"),
        called(Field::Nature, "write_up", "write_up_sort", "Write-up", "Read this {} with a cup of tea.",
            ("", ""), "yearbook, 40-F or pay gap statement"),
        called(Field::Year, "business_year", "book_year", "Business year", "The business year {} had its ups and downs.",
            ("", ""), "The business year that it is on"),
        called(Field::Date, "off_the_press", "press_day", "Printed", "Off the press on {} as promised.",
            ("", ""), "The day on which it came off the press"),
        called(Field::Amount, "takings", "till_money", "Takings", "The tills took {} over the year.",
            ("", ""), "What the firm took in over the year"),
        called(Field::Currency, "takings_in", "takings_coin", "Takings in", "All sums are meant in {} here.",
            ("", ""), "The sort of money of the takings"),
    ],
    filler: &[
        "The summer party was a great success.",
        "Old Mr Hobbs went into retirement.",
        "The roof was mended twice.",
        "Customers came back for more.",
        "We hope for better weather.",
    ],
    aside: "We shared a stand at the fair with {} again.",
};
