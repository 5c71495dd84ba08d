//! The names in `Half::Sixth`, as a machine builder uses them, with the column names of an ordinary purchasing
//! database.

use super::{Called, ShelfWords, Words, fixed};
use crate::field::{Field, Shelf};

#[rustfmt::skip]
pub(crate) const WORDS: Words = Words {
    roots: &[
        "Abendroth", "Bergqvist", "Bottrill", "Callender", "Corvino", "Czerwinski", "Deakin", "Desmoulins", "Eberhardt", "Falkiner",
        "Farquhar", "Gisborne", "Glowacki", "Haverkamp", "Hollinshead", "Iwasaki", "Jaworski", "Kirkbride", "Krogstad", "Lefebvre",
        "Lockyer", "Maddison", "Moriarty", "Nakagawa", "Nuttall", "Oberholt", "Oyelaran", "Passarella", "Pettifer", "Quennell",
        "Rushworth", "Rabinowitz", "Schroder", "Sedgwick", "Tattersall", "Uhlenbeck", "Vasiliou", "Wetherby", "Yoxall", "Zwicky",
    ],
    trades: &["Drives", "Forgings", "Gearboxes", "Bearings", "Cabling", "Grinding", "Linkages", "Pneumatics", "Machining", "Tooling"],
    suffixes: &["SLU", "SIA", "OHG", "Pte", "Oyj", "Lda"],
    similar: &[
        (fixed("Buchmann Spindles", "SLU", 1), fixed("Buchman Spindle", "OHG", 1)),
        (fixed("Corran Gaskets", "Pte", 1), fixed("Corrin Gaskets", "SIA", 1)),
    ],
    one_letter: &[fixed("Y", "Oyj", 1), fixed("X Couplings", "SLU", 1)],
    word_names: &[fixed("Thursday", "Pte", 2), fixed("Several", "OHG", 1), fixed("Upright", "SIA", 1)],
    acronyms: &[(fixed("Danube Honing Plant", "SIA", 1), fixed("Dorsten Hoist Producers", "OHG", 1))],
    fiscal: &[
        fixed("Wyvern Actuators", "Oyj", 5), fixed("Isarwinkel Foundries", "OHG", 10), fixed("Sorrento Gearheads", "SLU", 4),
    ],
    lone_acronym: fixed("Uplands Chain Rigging", "Pte", 1),
    cost_bearers: &["final assembly", "commissioning", "paint line", "cabinet building", "spares store"],
    subjects: &["crane servicing", "bar stock", "gauge calibration", "swarf removal", "machine transport"],
    part_types: &["servo amplifier", "light curtain", "motor contactor", "pressure transmitter"],
    packages: &["DIN rail", "M12 barrel", "panel mount", "cast enclosure"],
    standards: &["EN 10204", "ISO 3834", "IEC 61508", "ISO 13849"],
    bodies: &["Kastell Conformity", "Nordvik Surveyors", "Pallas Notified Body"],
    sites: &["Linz", "Vitoria", "Chemnitz", "Coventry", "Lahti", "Brescia"],
    articles: &[
        "hex bolt", "shaft seal", "cable chain", "limit switch", "linear rail", "cutting insert", "drum of coolant", "hose fitting",
        "levelling foot", "timing belt",
    ],
    invoice_natures: ["purchase invoice", "supplier credit", "invoice duplicate"],
    contract_natures: ["supply agreement", "contract revision"],
    report_natures: &["business report", "modern slavery statement", "supply chain report"],
    joint: " @ ",
    fiscal_sentence: "Our financial year closes on {} and carries the number of the calendar year in which it closes.",
    fiscal_key: "financial_year_close",
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
    folder: "purchase-invoices",
    has_schema: true,
    neutral_title: "Accounts payable voucher",
    fields: &[
        called(Field::Company, "creditor_company", "bill_from", "Creditor company", "The creditor of this item is {} as per the vendor master.",
            ("", "/"), "Supplier to whom the invoice is owed"),
        called(Field::Number, "document_number", "doc_number", "Document number", "Payments shall state {} as their reference.",
            ("doc-", ""), "Number of the invoice as assigned by the supplier"),
        called(Field::Nature, "kind_of_voucher", "voucher_class", "Voucher kind", "This voucher is a {} in accounts payable.",
            ("type-", ""), "Type of the document: purchase invoice, supplier credit or invoice duplicate"),
        called(Field::Date, "document_date", "doc_date", "Document date", "It bears the date {} at the top of the page.",
            ("dated-", ""), "Date on which the supplier issued the invoice"),
        called(Field::Due, "latest_payment_date", "payment_due", "Payment due", "Payment is requested no later than {} without deduction.",
            ("payby-", ""), "Last date on which the invoice can be paid without being overdue"),
        called(Field::Net, "net_total", "total_net", "Net total", "The positions add up to {} exclusive of tax.",
            ("netto-", ""), "Invoice total excluding value added tax, in the document currency"),
        called(Field::Amount, "gross_total", "total_gross", "Gross total", "The amount payable is {} inclusive of tax.",
            ("gross-", ""), "Invoice total including value added tax, in the document currency; negative for a supplier credit"),
        called(Field::Currency, "document_currency", "doc_currency", "Document currency", "All positions are stated in {} throughout.",
            ("cur-", ""), "ISO code of the currency that the invoice is issued in"),
        called(Field::Category, "cost_unit", "cost_object", "Cost unit", "The goods were posted to {} on receipt.",
            ("unit-", ""), "Internal cost unit that the invoice is posted to"),
    ],
    filler: &[
        "Goods remain our property until payment has been received in full.",
        "Please quote the purchase order on the delivery note.",
        "Crates and pallets are exchanged one for one.",
        "Complaints about visible damage are to be raised on delivery.",
        "Packing and freight are included.",
        "Our terms of delivery apply in their current version.",
    ],
    aside: "The freight was handled by {} on our behalf.",
};

#[rustfmt::skip]
const CONTRACTS: ShelfWords = ShelfWords {
    shelf: Shelf::Contracts,
    folder: "supply-agreements",
    has_schema: true,
    neutral_title: "Purchasing, signed original",
    fields: &[
        called(Field::Company, "contracted_supplier", "contracting_party", "Contracted supplier", "Hartfell Machine Works appoints {} as contractor.",
            ("", "/"), "Company that the agreement is concluded with"),
        called(Field::Number, "agreement_number", "agreement_id", "Agreement number", "Call-offs shall refer to {} in every case.",
            ("agr-", ""), "Number of the agreement; a revision keeps the number of the agreement that it revises"),
        called(Field::Nature, "agreement_type", "agreement_kind", "Agreement type", "The parties sign the present {} in two originals.",
            ("kind-", ""), "Type of the document: supply agreement, or contract revision"),
        called(Field::Category, "supply_category", "supply_group", "Scope of supply", "The contractor provides {} within this scope.",
            ("scope-", ""), "Goods or services that the agreement covers"),
        called(Field::Date, "agreement_start", "start_of_term", "Start of term", "It takes effect on {} at all plants.",
            ("from-", ""), "Date on which the agreement takes effect"),
        called(Field::Due, "agreement_end", "end_of_term", "End of term", "Its term ends on {} without further notification.",
            ("ends-", ""), "Date on which the agreement expires"),
        called(Field::Amount, "order_volume", "volume_total", "Order volume", "A volume of {} is agreed for the whole term.",
            ("vol-", ""), "Total value agreed for the whole term, in the agreement currency"),
        called(Field::Currency, "agreement_currency", "volume_currency", "Agreement currency", "Settlement takes place in {} for every call-off.",
            ("cur-", ""), "ISO code of the currency that the agreement is settled in"),
        called(Field::Notice, "notice_for_termination", "notice_in_days", "Termination notice", "Either party may terminate with {} days of notice.",
            ("term-", "days"), "Number of days of notice required for termination"),
    ],
    filler: &[
        "Drawings that are handed over stay with the customer.",
        "Tools paid for by the customer are marked as such.",
        "Verbal side arrangements have no effect.",
        "Each plant calls off separately.",
        "Deliveries are made free to the gate.",
    ],
    aside: "An offer by {} was not considered further.",
};

#[rustfmt::skip]
const DATASHEETS: ShelfWords = ShelfWords {
    shelf: Shelf::Datasheets,
    folder: "component-datasheets",
    has_schema: true,
    neutral_title: "Technical documentation, component",
    fields: &[
        called(Field::Company, "producer_name", "oem_name", "Producer name", "Developed and assembled by {} to our drawings.",
            ("", "/"), "Name of the manufacturer of the component"),
        called(Field::Number, "type_code", "ordering_code", "Type code", "The nameplate shows {} as the type.",
            ("code-", ""), "Type code under which the component is ordered"),
        called(Field::Category, "component_class", "component_group", "Component class", "The device is a {} for industrial machinery.",
            ("class-", ""), "Class of the component"),
        called(Field::Volts, "nominal_voltage", "voltage_nominal", "Nominal voltage", "It is rated for {} V at the terminals.",
            ("ue-", "V"), "Highest voltage that the component may be operated at"),
        called(Field::Amps, "nominal_current", "current_nominal", "Nominal current", "It carries {} A in continuous duty.",
            ("ie-", "A"), "Highest current that the component may carry"),
        called(Field::Package, "mounting_type", "mounting", "Mounting type", "For installation the {} version is supplied.",
            ("mount-", ""), "Mounting style or housing in which the component is supplied"),
        called(Field::Date, "last_revision", "sheet_revision", "Last revision", "The contents were last revised on {} by engineering.",
            ("rev-", ""), "Date of the last revision of the sheet"),
    ],
    filler: &[
        "Observe the wiring diagram before energising.",
        "Spare parts are stocked for the usual period.",
        "Do not open the housing under load.",
        "Dimensions are given without tolerance.",
        "The illustration shows a similar version.",
    ],
    aside: "Matching accessories are offered by {} as well.",
};

#[rustfmt::skip]
const CERTIFICATES: ShelfWords = ShelfWords {
    shelf: Shelf::Certificates,
    folder: "supplier-approvals",
    has_schema: true,
    neutral_title: "Evidence of qualification",
    fields: &[
        called(Field::Company, "qualified_company", "approval_holder", "Approved company", "It is hereby confirmed that {} meets the requirements.",
            ("", "/"), "Company that holds the certificate"),
        called(Field::Number, "certificate_reference", "register_number", "Certificate reference", "The entry {} can be verified online.",
            ("id-", ""), "Identifier of the certificate in the register"),
        called(Field::Category, "standard_reference", "norm_applied", "Standard reference", "The requirements of {} are fulfilled.",
            ("std-", ""), "Standard that the certificate attests conformity with"),
        called(Field::Body, "assessor", "issuing_body", "Assessor", "The assessment was carried out by {} on site.",
            ("body-", ""), "Organisation that assessed the company and issued the certificate"),
        called(Field::Site, "plant_location", "location_audited", "Plant location", "The scope is limited to the works at {} only.",
            ("plant-", ""), "Location of the plant that was assessed"),
        called(Field::Date, "certified_from", "approved_from", "Certified from", "The document was drawn up on {} by the assessor.",
            ("iss-", ""), "Date on which the certificate was issued"),
        called(Field::Due, "certified_until", "approved_until", "Certified until", "It loses its validity after {} unless renewed.",
            ("exp-", ""), "Last day on which the certificate is valid"),
    ],
    filler: &[
        "Surveillance visits take place at regular intervals.",
        "The mark may not be used on products.",
        "Changes to the process have to be notified.",
        "Extracts are valid together with the annex only.",
    ],
    aside: "Subcontracted processes at {} are excluded.",
};

#[rustfmt::skip]
const REPORTS: ShelfWords = ShelfWords {
    shelf: Shelf::Reports,
    folder: "supplier-financials",
    has_schema: false,
    neutral_title: "To our shareholders and partners",
    fields: &[
        called(Field::Company, "report_company", "report_entity", "Reporting company", "This is the reporting of {} and its subsidiaries.",
            ("", ""), "Company that the report is about"),
        called(Field::Nature, "report_category", "report_class", "Report type", "The present {} has been approved by the board.",
            ("", ""), "Type of the report: business report, modern slavery statement or supply chain report"),
        called(Field::Year, "report_period", "period_reported", "Reporting year", "All statements refer to {} as the period under review.",
            ("", ""), "Fiscal year that the report covers"),
        called(Field::Date, "date_of_release", "released_at", "Release", "It was released on {} to the public.",
            ("", ""), "Date on which the report was released"),
        called(Field::Amount, "sales_revenue", "sales_total", "Sales revenue", "The group achieved {} in sales.",
            ("", ""), "Sales of the company in the fiscal year"),
        called(Field::Currency, "sales_revenue_currency", "sales_currency", "Sales revenue currency", "Figures are presented in {} after rounding.",
            ("", ""), "ISO code of the currency of the sales"),
    ],
    filler: &[
        "Order intake developed steadily.",
        "The workforce remained stable.",
        "Investments went into new machining centres.",
        "Material costs stayed a challenge.",
        "We thank all employees for their commitment.",
    ],
    aside: "The joint project with {} is progressing.",
};
