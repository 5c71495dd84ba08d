//! The names in `Half::Seventh`, of a hospital and a utility that share a schema: an auditor reads it, a procurement
//! officer and a project manager fill it in.

use super::{Called, ShelfWords, Words, fixed};
use crate::field::{Field, Shelf};

#[rustfmt::skip]
pub(crate) const WORDS: Words = Words {
    roots: &[
        "Aylsham", "Bampton", "Brigstock", "Caistor", "Charlbury", "Cullompton", "Dereham", "Dulverton", "Evesham", "Faringdon",
        "Fakenham", "Glossop", "Godalming", "Halesworth", "Haverhill", "Helmsley", "Ilminster", "Ivybridge", "Jedburgh", "Keswick",
        "Kirkwall", "Lechlade", "Ledbury", "Louth", "Malpas", "Melksham", "Midhurst", "Minehead", "Nailsea", "Nantwich",
        "Oakham", "Olney", "Padstow", "Petworth", "Pershore", "Pocklington", "Romsey", "Rothbury", "Saxmundham", "Sedbergh",
        "Shaftesbury", "Skipton", "Southwold", "Swaffham", "Tadcaster", "Tetbury", "Thirsk", "Tiverton", "Uppingham",
        "Wadebridge", "Wareham", "Whitby", "Wimborne", "Wirksworth", "Yeovil",
    ],
    trades: &[
        "Dialysis", "Metering", "Prosthetics", "Hydrants", "Linen", "Switchgear", "Imaging", "Surgical", "Chillers", "Reagents",
        "Scaffolding", "Ambulances",
    ],
    suffixes: &["Trust", "Co-op", "UAB", "Zrt", "Ventures", "Associates", "Enterprises"],
    similar: &[
        (fixed("Corfe Prosthetics", "Trust", 1), fixed("Corfe Prosthetic", "Ventures", 1)),
        (fixed("Tavenor Metering", "UAB", 1), fixed("Tavener Metering", "Zrt", 1)),
    ],
    one_letter: &[fixed("E", "Trust", 1), fixed("N Dialysis", "Associates", 1)],
    word_names: &[fixed("Margin", "Enterprises", 4), fixed("Ward", "Zrt", 1), fixed("Compass", "Co-op", 1)],
    acronyms: &[(fixed("Westerham Hydrant Inspection", "Trust", 1), fixed("Woburn Hospital Interiors", "Ventures", 1))],
    fiscal: &[
        fixed("Stourbridge Reagents", "Associates", 4), fixed("Kelvedon Switchgear", "UAB", 7), fixed("Ossett Imaging", "Enterprises", 10),
    ],
    lone_acronym: fixed("Severn Pipeline Renewal", "Co-op", 1),
    cost_bearers: &["radiology", "pharmacy", "endoscopy", "sterile services", "patient transport", "estates"],
    subjects: &["trenching", "meter replacement", "tree cutting", "pipe relining", "substation upkeep", "leak detection"],
    part_types: &["surge arrester", "flow meter", "dialysis pump", "standby generator", "patient monitor"],
    packages: &["IP20", "IP44", "IP54", "IP65", "IP68"],
    standards: &["ISO 10012", "ISO 19011", "ISO 24510", "EN 15224", "ISO 46001"],
    bodies: &["Altmoor Assessment", "Priory Verification", "Lanyard Registrars"],
    sites: &["Ravenna", "Bergen", "Kilkenny", "Leuven", "Bologna", "Odense"],
    articles: &[
        "catheter tray", "pipe coupling", "bed linen", "water meter", "manhole cover", "surgical drape", "valve spindle",
        "contrast agent", "cable duct", "suture kit",
    ],
    invoice_natures: ["goods invoice", "credit slip", "reprinted invoice"],
    contract_natures: ["works contract", "works variation"],
    report_natures: &["annual review", "climate report", "workforce report"],
    joint: "_-_",
    fiscal_sentence: "The books of the entity close on {} and the accounting year has the number of the calendar year in which they close.",
    fiscal_key: "books_close_on",
    first_year: 2019,
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
    folder: "purchase-ledger",
    has_schema: true,
    neutral_title: "Voucher for the purchase ledger",
    fields: &[
        called(Field::Company, "seller", "sold_by", "Seller", "The goods below were delivered and charged by {} as ordered.",
            ("", "/"), "Firm that billed the hospital"),
        called(Field::Number, "voucher_number", "voucher_no", "Voucher number", "State {} when you transfer the money.",
            ("voucher.", ""), "Number that the seller gave the voucher"),
        called(Field::Nature, "voucher_type", "sort_of_voucher", "Voucher type", "You receive this {} by ordinary mail.",
            ("vtype.", ""), "What the voucher is: goods invoice, credit slip or reprinted invoice"),
        called(Field::Date, "billing_date", "billed_at", "Billing date", "The goods were billed on {} from our depot.",
            ("billed.", ""), "Day on which the seller billed the goods"),
        called(Field::Due, "pay_by_date", "latest_payment", "To be paid by", "Kindly settle it by {} at the very latest.",
            ("payby.", ""), "Last day for the payment"),
        called(Field::Net, "amount_without_vat", "without_vat", "Amount without VAT", "Without VAT we charge {} for these goods.",
            ("exvat.", ""), "Amount net of VAT, in the billing currency"),
        called(Field::Amount, "gross_amount", "vat_included", "Gross amount", "With VAT you have to pay {} for these goods.",
            ("gross.", ""), "Gross amount to pay, VAT included, in the billing currency; below zero on a credit slip"),
        called(Field::Currency, "billing_currency", "billed_currency", "Billing currency", "The bank account is held in {} and in nothing else.",
            ("curr.", ""), "Currency in which the seller bills"),
        called(Field::Category, "ordering_unit", "unit", "Ordering unit", "These goods were requested by {} over the telephone.",
            ("unit.", ""), "Unit of the hospital that ordered the goods and carries the cost"),
    ],
    filler: &[
        "Sterile items are not taken back once opened.",
        "The driver needs a signature at the loading bay.",
        "Pallets remain the property of the haulier.",
        "Our opening times have not changed.",
        "Complaints are accepted within a week of delivery.",
        "Batch numbers are printed on every carton.",
    ],
    aside: "The pallets were moved by {} overnight.",
};

#[rustfmt::skip]
const CONTRACTS: ShelfWords = ShelfWords {
    shelf: Shelf::Contracts,
    folder: "works-register",
    has_schema: true,
    neutral_title: "Papers of the network project",
    fields: &[
        called(Field::Company, "works_contractor", "works_firm", "Works contractor", "Marchbank Water and {} have reached the following understanding.",
            ("", "/"), "Firm that carries out the works"),
        called(Field::Number, "works_reference", "works_ref", "Works reference", "The project office books it under {} in its own list.",
            ("wref.", ""), "Reference of the works contract; a works variation carries the reference of its works contract"),
        called(Field::Nature, "record_type", "rectype", "Record type", "Each side keeps one original of this {} in a safe.",
            ("rtype.", ""), "What the record is: works contract or works variation"),
        called(Field::Category, "work_package", "works_scope", "Work package", "The crew is engaged for {} throughout the network.",
            ("scope.", ""), "Work package, that is, the scope of the works"),
        called(Field::Date, "start_of_works", "works_begin", "Start of works", "The crew moves in on {} with its own tools.",
            ("start.", ""), "Day on which the works start"),
        called(Field::Due, "completion_date", "complete_by", "Completion date", "The works are to be complete on {} at nightfall.",
            ("complete.", ""), "Day on which the works have to be complete"),
        called(Field::Amount, "contract_sum", "agreed_price", "Contract sum", "The price agreed for the whole scope is {} and is fixed.",
            ("price.", ""), "Price agreed for the whole scope, in the contract currency"),
        called(Field::Currency, "contract_currency", "price_currency", "Contract currency", "Interim claims are made in {} every quarter.",
            ("curr.", ""), "Currency of the contract sum"),
        called(Field::Notice, "days_of_notice", "notice_days_given", "Days of notice to give", "The works may be called off {} days in advance by letter.",
            ("notice.", ""), "Days of notice that either side has to give to terminate"),
    ],
    filler: &[
        "The site diary is written up every evening.",
        "Road closures are applied for by the utility.",
        "Spoil is carted away and weighed.",
        "Helmets are worn wherever machines are running.",
        "Residents are told a fortnight ahead.",
        "Defects are put right without charge.",
    ],
    aside: "A quotation of {} was opened and set aside.",
};

#[rustfmt::skip]
const DATASHEETS: ShelfWords = ShelfWords {
    shelf: Shelf::Datasheets,
    folder: "device-sheets",
    has_schema: true,
    neutral_title: "Particulars for the device inventory",
    fields: &[
        called(Field::Company, "device_maker", "produced_by", "Device maker", "The device comes from the works of {} and bears its plate.",
            ("", "/"), "Firm that makes the device"),
        called(Field::Number, "device_code", "device_no", "Device code", "The plate on the back reads {} in relief.",
            ("code.", ""), "Code of the device"),
        called(Field::Category, "kind_of_device", "class_of_device", "Kind of device", "The device serves as a {} on wards and in plant rooms.",
            ("class.", ""), "Kind of device, that is, its class"),
        called(Field::Volts, "peak_voltage", "volts_peak", "Peak voltage", "Never feed it with more than {} V even briefly.",
            ("vpeak.", ""), "Peak voltage of the device, in volts"),
        called(Field::Amps, "peak_current", "amps_peak", "Peak current", "Never draw more than {} A even briefly.",
            ("apeak.", ""), "Peak current of the device, in amperes"),
        called(Field::Package, "enclosure", "ip_code", "Enclosure", "The casing is sealed to {} on all sides.",
            ("encl.", ""), "Enclosure, as the IP code of its protection"),
        called(Field::Date, "revision_of_sheet", "revision_day", "Revision of sheet", "The present sheet was drawn up on {} by the technical office.",
            ("rev.", ""), "Day of the latest revision of the sheet"),
    ],
    filler: &[
        "Disconnect the mains before opening the casing.",
        "Clean with a damp cloth only.",
        "Calibration is due once a year.",
        "Spare fuses are inside the lid.",
        "Train the staff before the first use.",
    ],
    aside: "Spare parts by {} also fit.",
};

#[rustfmt::skip]
const CERTIFICATES: ShelfWords = ShelfWords {
    shelf: Shelf::Certificates,
    folder: "audit-certificates",
    has_schema: true,
    neutral_title: "Outcome of an assessment",
    fields: &[
        called(Field::Company, "certified_firm", "audited_firm", "Certified firm", "The assessors visited {} and found no objection.",
            ("", "/"), "Firm that was audited and holds the certificate"),
        called(Field::Number, "certificate_code", "cert_code", "Certificate code", "Anyone may look it up under {} free of charge.",
            ("ccode.", ""), "Code of the certificate"),
        called(Field::Category, "assessment_scheme", "audit_scheme", "Assessment scheme", "The assessment followed {} from beginning to end.",
            ("scheme.", ""), "Scheme, that is, the standard that the firm was audited against"),
        called(Field::Body, "registrar", "auditing_body", "Registrar", "The assessors were sent by {} for three days.",
            ("registrar.", ""), "Body that audited the firm and issued the certificate"),
        called(Field::Site, "audited_premises", "premises_town", "Audited premises", "Only the premises in {} were looked at.",
            ("town.", ""), "Town where the audited premises are"),
        called(Field::Date, "award_date", "awarded_on", "Award date", "The certificate was handed over on {} in a short ceremony.",
            ("award.", ""), "Day on which the certificate was awarded"),
        called(Field::Due, "lapse_date", "lapses_after", "Lapse date", "The certificate lapses on {} without any reminder.",
            ("lapse.", ""), "Day on which the certificate lapses"),
    ],
    filler: &[
        "Appeals go to the advisory board.",
        "Follow-up visits are not announced.",
        "Translations are not binding.",
        "The firm pays the travel of the assessors.",
    ],
    aside: "Laundry is given out to {} and was not looked at.",
};

#[rustfmt::skip]
const REPORTS: ShelfWords = ShelfWords {
    shelf: Shelf::Reports,
    folder: "published-reports",
    has_schema: false,
    neutral_title: "Word from the chair",
    fields: &[
        called(Field::Company, "publishing_entity", "entity", "Publishing entity", "These pages describe how {} fared in the period.",
            ("", ""), "Entity that released the report"),
        called(Field::Nature, "kind_of_publication", "published_as", "Kind of publication", "The audit committee has read this {} with care.",
            ("", ""), "What was published: annual review, climate report or workforce report"),
        called(Field::Year, "accounting_year", "acc_year", "Accounting year", "All tables show the accounting year {} alone.",
            ("", ""), "Accounting year that is described"),
        called(Field::Date, "day_of_release", "date_released", "Released to the public", "It was put on the website on {} in the morning.",
            ("", ""), "Day on which it was released"),
        called(Field::Amount, "turnover_of_year", "yearly_turnover", "Turnover of that year", "Turnover stood at {} when the books were closed.",
            ("", ""), "Turnover of the accounting year"),
        called(Field::Currency, "accounts_currency", "kept_in", "Accounts currency", "The accounts are kept in {} by order of the board.",
            ("", ""), "Currency in which the accounts are kept"),
    ],
    filler: &[
        "Storms put the crews to the test.",
        "Two members left the board by rotation.",
        "Waiting times grew shorter.",
        "We thank the volunteers.",
        "Energy prices remained hard to foresee.",
        "A new wing was opened.",
    ],
    aside: "Talks with {} were broken off.",
};
