//! The names in `Half::Fifth`, as an office manager of a medium-sized company chooses them, with the column names of
//! an ordinary schema.

use super::{Called, ShelfWords, Words, fixed};
use crate::field::{Field, Shelf};

#[rustfmt::skip]
pub(crate) const WORDS: Words = Words {
    roots: &[
        "Abernathy", "Aldridge", "Ashworth", "Barrington", "Beckwith", "Blackwood", "Carmichael", "Cartwright", "Colby", "Crawford",
        "Dawson", "Donnelly", "Eastman", "Emerson", "Everett", "Fairbanks", "Fletcher", "Franklin", "Goodwin",
        "Hampton", "Harrington", "Henderson", "Holloway", "Irving", "Jefferson", "Jennings", "Kendall", "Kingsley", "Lawson",
        "Livingston", "Lockhart", "Maxwell", "McAllister", "Montgomery", "Morrison", "Newcomb", "Osborne", "Parkinson", "Peterson",
        "Quinlan", "Ramsey", "Reynolds", "Sheridan", "Stanton", "Sterling", "Templeton", "Thornton",
        "Upton", "Vaughan", "Wallace", "Wellington", "Whitaker", "Winslow", "Yates", "Youngblood",
    ],
    trades: &[
        "Consulting", "Graphics", "Plumbing", "Staffing", "Furniture", "Electrical", "Software", "Insurance", "Travel", "Couriers",
        "Roofing", "Recruiting",
    ],
    suffixes: &["Limited", "LLP", "Group", "Corporation", "Company", "Incorporated", "Holdings"],
    similar: &[
        (fixed("Hartwell Design", "Limited", 1), fixed("Hartwell Designs", "Corporation", 1)),
        (fixed("Bannister Plumbing", "Limited", 1), fixed("Banister Plumbing", "Company", 1)),
    ],
    one_letter: &[fixed("H", "Company", 1), fixed("G Consulting", "Limited", 1)],
    word_names: &[fixed("Balance", "Corporation", 4), fixed("Monday", "Limited", 1), fixed("Summit", "Group", 1)],
    acronyms: &[(fixed("Norwood Office Supplies", "Limited", 1), fixed("Newbury Online Solutions", "Company", 1))],
    fiscal: &[
        fixed("Whitestone Software", "Corporation", 7), fixed("Clearview Insurance", "Group", 4), fixed("Brookdale Furniture", "Limited", 10),
    ],
    lone_acronym: fixed("Global Facilities Management", "Group", 1),
    cost_bearers: &["sales", "legal", "accounting", "customer service", "purchasing", "finance"],
    subjects: &["office cleaning", "IT support", "payroll administration", "building security", "vehicle leasing", "document shredding"],
    part_types: &["cooling fan", "power adapter", "circuit breaker", "pressure sensor", "battery charger"],
    packages: &["SOIC-8", "SOT-223", "DIP-14", "TO-263", "MSOP-10"],
    standards: &["ISO 20000", "ISO 17025", "ISO 55001", "ISO 41001", "ISO 39001"],
    bodies: &["Meridian Certification", "Harbour Quality", "Keystone Assessors"],
    sites: &["Chicago", "Rotterdam", "Hamburg", "Dublin", "Boston", "Toronto"],
    articles: &[
        "office chair", "toner cartridge", "table lamp", "laptop stand", "filing cabinet", "whiteboard", "shredder", "monitor arm",
        "conference phone", "business cards",
    ],
    invoice_natures: ["supplier invoice", "credit memo", "duplicate invoice"],
    contract_natures: ["service agreement", "contract extension"],
    report_natures: &["financial report", "diversity report", "ESG report"],
    joint: "--",
    fiscal_sentence: "The company's financial year ends on {} and is named for the calendar year it ends in.",
    fiscal_key: "financial_year_end_date",
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
    folder: "supplier-invoices",
    has_schema: true,
    neutral_title: "Accounts payable document",
    fields: &[
        called(Field::Company, "supplier_name", "supplier", "Name of supplier", "Please make your payment to {} by bank transfer.",
            ("", "/"), "Name of the supplier that issued the invoice"),
        called(Field::Number, "invoice_no", "invoice_ref", "Invoice ref", "Use the reference {} in all correspondence about this order.",
            ("no_", ""), "Invoice number printed on the document"),
        called(Field::Nature, "document_kind", "kind", "Kind of document", "This document is a {} and was created electronically.",
            ("kind_", ""), "Kind of document: supplier invoice, credit memo or duplicate invoice"),
        called(Field::Date, "date_issued", "issued_date", "Date issued", "We prepared this document on {} for your accounting department.",
            ("issued_", ""), "Date the invoice was issued"),
        called(Field::Due, "payment_due_date", "due_by", "Payment due date", "Payment is due on {} at the latest.",
            ("due_", ""), "Date by which the invoice has to be paid"),
        called(Field::Net, "amount_excl_tax", "subtotal", "Amount excl. tax", "The subtotal is {} excluding sales tax.",
            ("subtotal_", ""), "Amount before tax, in the invoice currency"),
        called(Field::Amount, "amount_incl_tax", "amount_due", "Amount incl. tax", "The amount due is {} including sales tax.",
            ("total_", ""), "Total amount including tax, in the invoice currency; negative for a credit memo"),
        called(Field::Currency, "currency_code", "currency", "Currency code", "All amounts are stated in {} unless noted otherwise.",
            ("currency_", ""), "ISO code of the invoice currency"),
        called(Field::Category, "charged_department", "dept", "Department", "The order was placed on behalf of {} by one of your colleagues.",
            ("dept_", ""), "Department the invoice is charged to"),
    ],
    filler: &[
        "Thank you for doing business with us.",
        "Please contact our billing team if you have any questions.",
        "Our office hours are Monday to Friday.",
        "Deliveries are made to the main entrance.",
        "Please include the remittance slip with your check.",
        "A copy of our terms is available on request.",
    ],
    aside: "The shipment was handled by {} as usual.",
};

#[rustfmt::skip]
const CONTRACTS: ShelfWords = ShelfWords {
    shelf: Shelf::Contracts,
    folder: "service-agreements",
    has_schema: true,
    neutral_title: "Signed document",
    fields: &[
        called(Field::Company, "counterparty_name", "provider", "Name of provider", "Hanover Business Park and {} enter into the following arrangement.",
            ("", "/"), "Name of the company we have the agreement with"),
        called(Field::Number, "agreement_no", "agreement_ref", "Agreement ref", "Our legal department keeps it under the reference {} in the archive.",
            ("no_", ""), "Agreement number; an extension has the number of its agreement"),
        called(Field::Nature, "document_kind", "kind", "Kind of document", "Both companies have signed this {} through their representatives.",
            ("kind_", ""), "Kind of document: service agreement or contract extension"),
        called(Field::Category, "service_type", "service", "Service type", "The provider will deliver {} during the whole term.",
            ("service_", ""), "Type of service that is provided"),
        called(Field::Date, "agreement_start_date", "effective_date", "Agreement start date", "The services begin on {} during business hours.",
            ("begins_", ""), "Date the agreement takes effect"),
        called(Field::Due, "expiry_date", "expires_on", "Expiry date", "The services come to an end on {} without further notification.",
            ("expires_", ""), "Date the agreement expires"),
        called(Field::Amount, "agreement_value", "total_fee", "Agreement value", "The total fee for the term is {} including expenses.",
            ("value_", ""), "Total value of the agreement over its term, in the agreement currency"),
        called(Field::Currency, "currency_code", "currency", "Currency code", "Invoices under this document are issued in {} on a monthly basis.",
            ("currency_", ""), "ISO code of the agreement currency"),
        called(Field::Notice, "notice_period_days", "termination_notice", "Notice period in days", "Either company may terminate with {} days of written notice.",
            ("notice_", ""), "Notice period for termination, in days"),
    ],
    filler: &[
        "Each company keeps the other's information confidential.",
        "Disputes are first discussed by the account managers.",
        "The provider carries its own liability insurance.",
        "Changes have to be agreed in writing by both companies.",
        "Subcontractors need prior approval.",
        "Headings are for convenience only.",
    ],
    aside: "An offer by {} was received and declined.",
};

#[rustfmt::skip]
const DATASHEETS: ShelfWords = ShelfWords {
    shelf: Shelf::Datasheets,
    folder: "spec-sheets",
    has_schema: true,
    neutral_title: "Technical details",
    fields: &[
        called(Field::Company, "manufacturer_name", "brand_name", "Manufacturer name", "This product is manufactured by {} under a quality program.",
            ("", "/"), "Manufacturer of the product"),
        called(Field::Number, "model_no", "model", "Model no", "The model number is {} for all regions.",
            ("model_", ""), "Model number of the product"),
        called(Field::Category, "product_type", "product", "Product type", "The product is a {} for professional use.",
            ("type_", ""), "Type of product"),
        called(Field::Volts, "rated_voltage", "voltage", "Max voltage", "The voltage must not exceed {} V under any conditions.",
            ("voltage_", ""), "Maximum voltage rating, in volts"),
        called(Field::Amps, "rated_current", "current", "Max current", "The current must not exceed {} A under any conditions.",
            ("current_", ""), "Maximum current rating, in amperes"),
        called(Field::Package, "package_type", "form_factor", "Package type", "It is supplied in the {} form factor as standard.",
            ("package_", ""), "Package or form factor of the product"),
        called(Field::Date, "last_updated", "updated_on", "Last updated", "The information was last updated on {} by the product team.",
            ("updated_", ""), "Date the spec sheet was last updated"),
    ],
    filler: &[
        "Specifications are subject to change without notice.",
        "Please read the safety instructions before installation.",
        "Images may differ from the actual product.",
        "Recycle the packaging according to local rules.",
        "Warranty terms are available from your dealer.",
    ],
    aside: "It is compatible with accessories by {} and others.",
};

#[rustfmt::skip]
const CERTIFICATES: ShelfWords = ShelfWords {
    shelf: Shelf::Certificates,
    folder: "compliance-certificates",
    has_schema: true,
    neutral_title: "Proof of compliance",
    fields: &[
        called(Field::Company, "certificate_holder", "organization", "Certificate holder", "We confirm that the organization {} has passed the audit.",
            ("", "/"), "Company the certificate was issued to"),
        called(Field::Number, "certificate_id", "registration_no", "Registration no", "The registration number is {} in our database.",
            ("reg_", ""), "Registration number of the certificate"),
        called(Field::Category, "certified_standard", "standard_name", "Certified standard", "The audit was carried out against {} in its current edition.",
            ("std_", ""), "Standard the company is certified for"),
        called(Field::Body, "certification_body", "auditor", "Certification body", "The lead auditor works for {} on a permanent basis.",
            ("auditor_", ""), "Organization that issued the certificate"),
        called(Field::Site, "facility_location", "facility", "Facility location", "The audit covered the facility in {} and no other location.",
            ("location_", ""), "Location of the certified facility"),
        called(Field::Date, "date_granted", "certification_date", "Date granted", "Certification was granted on {} following the final review.",
            ("granted_", ""), "Date the certificate was granted"),
        called(Field::Due, "expiration_date", "valid_to", "Expiration date", "Certification remains valid through {} subject to annual reviews.",
            ("validto_", ""), "Date the certificate expires"),
    ],
    filler: &[
        "The logo may be used on business cards and letterheads.",
        "Please notify us of changes to your management team.",
        "Annual reviews are scheduled in advance.",
        "This document remains our property.",
    ],
    aside: "Parts of the process are outsourced to {} at present.",
};

#[rustfmt::skip]
const REPORTS: ShelfWords = ShelfWords {
    shelf: Shelf::Reports,
    folder: "company-reports",
    has_schema: false,
    neutral_title: "Message from the management",
    fields: &[
        called(Field::Company, "company_name", "reporting_company", "Company name", "It was an eventful year for {} and its employees.",
            ("", ""), "Company that published the report"),
        called(Field::Nature, "type_of_report", "report_kind", "Type of report", "We hope you find this {} informative.",
            ("", ""), "Type of report: financial report, diversity report or ESG report"),
        called(Field::Year, "report_year", "financial_year", "Report year", "The figures relate to the financial year {} unless indicated.",
            ("", ""), "Financial year the report covers"),
        called(Field::Date, "publication_date", "published_on", "Publication date", "The report was released on {} to the public.",
            ("", ""), "Date the report was published"),
        called(Field::Amount, "annual_revenue", "total_revenue", "Annual revenue", "Total revenue was {} for the full year.",
            ("", ""), "Total revenue for the financial year"),
        called(Field::Currency, "reporting_currency", "currency", "Report currency", "The reporting currency is {} throughout the report.",
            ("", ""), "Currency the figures are reported in"),
    ],
    filler: &[
        "Customer satisfaction improved in all regions.",
        "We invested in new offices and equipment.",
        "Our employees completed more training than ever.",
        "The outlook for the coming year is positive.",
        "A new head of communications joined the team.",
        "Costs were kept under control.",
    ],
    aside: "The partnership with {} was extended.",
};
