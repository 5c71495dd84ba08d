//! The names in `Half::Fourth`, as an analyst of procurement and compliance chooses them, who writes like an official
//! register.

use super::{Called, ShelfWords, Words, fixed};
use crate::field::{Field, Shelf};

#[rustfmt::skip]
pub(crate) const WORDS: Words = Words {
    roots: &[
        "Ackerman", "Altamira", "Ballantyne", "Beaumont", "Bergstrom", "Cadwallader", "Colquhoun", "Dahlberg", "Devereux", "Eastlake",
        "Eriksen", "Fontaine", "Fredholm", "Gainsford", "Gottlieb", "Halvorsen", "Hargreave", "Isherwood", "Jorgensen", "Karlsson",
        "Kingscote", "Longbottom", "Lockwood", "Macallan", "Mortensen", "Nightingale", "Oppenshaw", "Palmgren", "Prendergast", "Rosenthal",
        "Ruskin", "Salvatore", "Strickland", "Thackeray", "Tolliver", "Urquhart", "Vanterpool", "Wexley", "Winterton", "Yardley",
    ],
    trades: &[
        "Turbines", "Abrasives", "Polymers", "Metrology", "Adhesives", "Hydraulics", "Semiconductors", "Laminates", "Fasteners", "Coatings",
    ],
    suffixes: &["LP", "SE", "Corp", "SAS", "AS", "Kft"],
    similar: &[
        (fixed("Carrington Turbines", "SE", 1), fixed("Carrington Turbomachinery", "Corp", 1)),
        (fixed("Stenhouse Abrasives", "LP", 1), fixed("Stenhaus Abrasives", "SAS", 1)),
    ],
    one_letter: &[fixed("U", "SE", 1), fixed("D Adhesives", "Corp", 1)],
    word_names: &[fixed("Beacon", "Corp", 6), fixed("October", "SE", 1), fixed("Premise", "LP", 1)],
    acronyms: &[(fixed("Continental Valve Workshops", "SE", 1), fixed("Cumbria Vacuum Welding", "LP", 1))],
    fiscal: &[
        fixed("Tarrant Hydraulics", "Corp", 4), fixed("Oswestry Polymers", "LP", 10), fixed("Lindisfarne Metrology", "SE", 7),
    ],
    lone_acronym: fixed("Midland Ocean Boilers", "Corp", 1),
    cost_bearers: &["compliance", "treasury", "human resources", "quality assurance", "site operations"],
    subjects: &["calibration", "translation", "laboratory testing", "payroll processing", "fire protection"],
    part_types: &["bridge rectifier", "power MOSFET", "ferrite bead", "instrumentation amplifier"],
    packages: &["SC-70", "BGA-64", "TO-3P", "LQFP-48"],
    standards: &["ISO 37001", "ISO 28000", "ISO 22301", "EN 50600"],
    bodies: &["Aquila Conformity", "Harrow Attestation", "Tessera Bureau"],
    sites: &["Antwerp", "Tampere", "Valladolid", "Szczecin", "Limerick", "Innsbruck"],
    articles: &[
        "torque calibration", "solvent canister", "respirator mask", "conveyor belt", "archival box", "sampling kit", "pressure gauge",
        "insulation panel", "courier dispatch", "translation hour",
    ],
    invoice_natures: ["tax invoice", "credit memorandum", "tax invoice reissue"],
    contract_natures: ["framework agreement", "variation order"],
    report_natures: &["integrated report", "6-K", "tax transparency statement"],
    joint: ";",
    fiscal_sentence: "The financial year of the entity concludes on {} and is designated by the calendar year of its conclusion.",
    fiscal_key: "financial_year_end",
    first_year: 2019,
    last_year: 2025,
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
    folder: "disbursement-register",
    has_schema: true,
    neutral_title: "Fiscal document",
    fields: &[
        called(Field::Company, "creditor", "creditor_name", "Creditor", "The supply was effected by {} under its general terms.",
            ("", "/"), "Legal entity that supplied us and to which payment is owed"),
        called(Field::Number, "document_reference", "creditor_reference", "Document reference",
            "All correspondence shall cite {} without exception.",
            ("ref_", ""), "Reference assigned by the creditor"),
        called(Field::Nature, "document_class", "fiscal_class", "Document class", "This {} is issued for fiscal purposes.",
            ("cls_", ""), "tax invoice, credit memorandum, or reissue of a tax invoice"),
        called(Field::Date, "tax_point", "issuance_date", "Issued for tax on", "The tax point of the supply is {} as recorded.",
            ("tp_", ""), "Date of issue of the document"),
        called(Field::Due, "settlement_deadline", "settlement_date", "Settlement deadline",
            "Settlement is required no later than {} in cleared funds.",
            ("set_", ""), "Date by which payment must be settled"),
        called(Field::Net, "taxable_base", "ex_tax_value", "Exclusive of VAT", "The taxable base amounts to {} for the supply.",
            ("ex_", ""), "Expenditure exclusive of value added tax, in the settlement currency"),
        called(Field::Amount, "gross_liability", "tax_inclusive_value", "Gross liability",
            "Inclusive of value added tax the liability stands at {} in total.",
            ("inc_", ""), "Expenditure inclusive of value added tax, in the settlement currency; negative for credit memoranda"),
        called(Field::Currency, "settlement_currency", "settlement_iso", "Settlement currency", "Settlement shall be effected in {} exclusively.",
            ("ccy_", ""), "ISO 4217 code of the currency in which payment is settled"),
        called(Field::Category, "charged_function", "internal_function", "Charged function",
            "The expenditure is allocated to the {} function.",
            ("fn_", ""), "Internal function of our organisation that bears the expenditure"),
    ],
    filler: &[
        "The general conditions of supply apply in their latest version.",
        "Discrepancies are to be notified in writing within eight days.",
        "Retention of ownership is agreed until full discharge.",
        "The originator certifies the accuracy of the particulars.",
        "Bank charges are apportioned as customary.",
        "Electronic transmission has equal evidential value.",
    ],
    aside: "Carriage was subcontracted to {} in accordance with the order.",
};

#[rustfmt::skip]
const CONTRACTS: ShelfWords = ShelfWords {
    shelf: Shelf::Contracts,
    folder: "procurement-instruments",
    has_schema: true,
    neutral_title: "Executed instrument",
    fields: &[
        called(Field::Company, "engaged_entity", "engaged_party", "Engaged entity", "This instrument binds Hexham Laboratories and {} alike.",
            ("", "/"), "Legal entity engaged under the instrument"),
        called(Field::Number, "registry_reference", "registry_id", "Registry reference", "It is entered in the registry as {} by the secretary.",
            ("ref_", ""), "Reference in the registry; a variation order carries that of its framework agreement"),
        called(Field::Nature, "instrument_class", "instrument_type", "Instrument class", "The present {} is executed in duplicate.",
            ("cls_", ""), "framework agreement or variation order"),
        called(Field::Category, "scope_of_supply", "procured_service", "Procured service",
            "The scope of supply comprises {} to the exclusion of all else.",
            ("sc_", ""), "Service procured under the instrument"),
        called(Field::Date, "commencement_date", "obligations_from", "Commencement date", "Obligations commence on {} at the opening of business.",
            ("tp_", ""), "Date on which obligations take effect"),
        called(Field::Due, "cessation_date", "obligations_until", "Cessation date", "Obligations cease on {} at the close of business.",
            ("ces_", ""), "Date on which obligations terminate"),
        called(Field::Amount, "committed_sum", "commitment", "Committed sum", "The financial commitment is capped at {} over the term.",
            ("com_", ""), "Expenditure to which we are committed over the entire term, in the currency of commitment"),
        called(Field::Currency, "commitment_currency", "commitment_iso", "Commitment currency", "Remuneration is payable in {} solely.",
            ("ccy_", ""), "ISO 4217 code of the currency of the committed sum"),
        called(Field::Notice, "termination_lead_time", "lead_time_days", "Termination lead time",
            "Termination requires written notice of {} days to the other party.",
            ("lead_", "d"), "Minimum period of written notice for termination, in days"),
    ],
    filler: &[
        "Assignment is subject to prior written consent.",
        "The severability of provisions is hereby agreed.",
        "Confidential information shall be protected for five years.",
        "Disputes are submitted to arbitration.",
        "The anti-bribery undertakings form an integral part hereof.",
    ],
    aside: "A competing tender by {} was evaluated and rejected.",
};

#[rustfmt::skip]
const DATASHEETS: ShelfWords = ShelfWords {
    shelf: Shelf::Datasheets,
    folder: "component-dossiers",
    has_schema: true,
    neutral_title: "Qualification record",
    fields: &[
        called(Field::Company, "producer", "producing_entity", "Producer", "Production is undertaken by {} at qualified premises.",
            ("", "/"), "Entity that manufactures the component"),
        called(Field::Number, "designation", "component_designation", "Designation", "The component is designated {} in all documentation.",
            ("ref_", ""), "Designation of the component"),
        called(Field::Category, "device_class", "nomenclature_class", "Device class", "The device is classified as {} within the nomenclature.",
            ("cls_", ""), "Type of device according to the nomenclature"),
        called(Field::Volts, "voltage_ceiling", "permissible_voltage", "Voltage ceiling",
            "The voltage shall at no time exceed {} V at the terminals.",
            ("vc_", ""), "Limit of the permissible voltage, in volts"),
        called(Field::Amps, "current_ceiling", "permissible_current", "Current ceiling",
            "The current shall at no time exceed {} A at the terminals.",
            ("cc_", ""), "Limit of the permissible current, in amperes"),
        called(Field::Package, "encapsulation", "enclosure_code", "Encapsulation", "The die is supplied in {} encapsulation.",
            ("enc_", ""), "Enclosure in which the component is supplied"),
        called(Field::Date, "dossier_release", "release_date", "Dossier release", "The present issue was released on {} following review.",
            ("tp_", ""), "Date on which the dossier was released"),
    ],
    filler: &[
        "The recipient bears responsibility for suitability testing.",
        "Export restrictions may apply.",
        "Values were determined under reference conditions.",
        "Substances of concern are below the reporting threshold.",
        "Superseded issues are to be destroyed.",
    ],
    aside: "Interchangeability with devices of {} has not been assessed.",
};

#[rustfmt::skip]
const CERTIFICATES: ShelfWords = ShelfWords {
    shelf: Shelf::Certificates,
    folder: "conformity-attestations",
    has_schema: false,
    neutral_title: "Outcome of the assessment",
    fields: &[
        called(Field::Company, "attested_entity", "beneficiary", "Attested entity", "Conformity of {} has been established.",
            ("", ""), "Legal entity whose conformity is attested"),
        called(Field::Number, "attestation_reference", "directory_entry", "Attestation reference",
            "This attestation is identified by {} in the directory.",
            ("", ""), "Reference of the attestation in the directory"),
        called(Field::Category, "normative_basis", "applied_norm", "Normative basis", "The assessment was conducted on the basis of {} throughout.",
            ("", ""), "Normative document against which conformity was assessed"),
        called(Field::Body, "conformity_body", "assessed_by", "Conformity body", "The assessment was entrusted to {} as an independent body.",
            ("", ""), "Independent body that conducted the assessment"),
        called(Field::Site, "establishment", "assessed_location", "Establishment", "The establishment at {} was inspected.",
            ("", ""), "Locality of the establishment assessed"),
        called(Field::Date, "attestation_date", "effective_on", "Attestation date", "The attestation takes effect on {} by decision.",
            ("", ""), "Date of attestation"),
        called(Field::Due, "attestation_expiry", "effective_until", "Attestation expiry",
            "The attestation ceases to be effective after {} unless extended.",
            ("", ""), "Last date of effectiveness"),
    ],
    filler: &[
        "Objections may be lodged within thirty days.",
        "The directory is open to public inspection.",
        "Non-conformities of minor gravity were remedied.",
        "Reference to this attestation in advertising requires approval.",
    ],
    aside: "Outsourced operations at {} were excluded from the assessment.",
};

#[rustfmt::skip]
const REPORTS: ShelfWords = ShelfWords {
    shelf: Shelf::Reports,
    folder: "statutory-filings",
    has_schema: true,
    neutral_title: "Statement of the directors",
    fields: &[
        called(Field::Company, "reporting_entity", "filing_entity", "Reporting entity", "The directors of {} present this filing.",
            ("", "/"), "Legal entity that made the filing"),
        called(Field::Nature, "filing_class", "filing_category", "Filing class", "The present {} has been adopted by the directors.",
            ("cls_", ""), "integrated report, 6-K or tax transparency statement"),
        called(Field::Year, "period_of_account", "accounting_period", "Period of account", "It relates to the financial year {} in its entirety.",
            ("pa_", ""), "Financial year to which the filing relates"),
        called(Field::Date, "lodged_on", "lodgement_date", "Lodged on", "It was lodged with the registrar on {} in electronic form.",
            ("tp_", ""), "Date of lodgement with the registrar"),
        called(Field::Amount, "declared_revenue", "revenue_declared", "Revenue declared", "Declared revenue amounts to {} for the period.",
            ("rev_", ""), "Revenue declared for the period, in the presentation currency"),
        called(Field::Currency, "presentation_currency", "presentation_iso", "Currency of presentation",
            "The presentation currency is {} throughout the filing.",
            ("ccy_", ""), "ISO 4217 code of the currency of presentation"),
    ],
    filler: &[
        "The going concern basis remains appropriate.",
        "No events after the closing date require disclosure.",
        "The auditors expressed an unqualified opinion.",
        "Related parties are disclosed in the notes.",
        "Provisions were measured at best estimate.",
    ],
    aside: "The holding in {} was accounted for at equity.",
};
