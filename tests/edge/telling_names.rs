//! Tests a folder of PDF reports with telling names and no schema: a question with a company and a year finds the report
//! of that company and year first, although the reports of other years state the year's figures, too.

use crate::shell::Shell;
use std::fmt::Write as _;

const COMPANIES: [(&str, &str); 6] = [
    ("ACME", "Acme"),
    ("BESTBUY", "Best Buy"),
    ("CORNING", "Corning"),
    ("DELTAAIR", "Delta Air"),
    ("EATON", "Eaton"),
    ("FORTIVE", "Fortive"),
];
const YEARS: std::ops::RangeInclusive<u32> = 2016..=2020;

/// A PDF of one page with these lines.
fn pdf(lines: &[String]) -> Vec<u8> {
    let mut drawn = String::from("BT /F 11 Tf 14 TL 50 780 Td\n");
    for line in lines {
        writeln!(drawn, "({line}) Tj T*").unwrap();
    }
    drawn.push_str("ET");
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 595 842]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F 4 0 R>>>>>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        format!("<</Length {}>>\nstream\n{drawn}\nendstream", drawn.len()),
    ];
    let mut file = String::from("%PDF-1.4\n");
    let mut table = String::from("xref\n0 6\n0000000000 65535 f \n");
    for (number, object) in (1..).zip(&objects) {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{number} 0 obj\n{object}\nendobj\n").unwrap();
    }
    let start = file.len();
    write!(
        file,
        "{table}trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
    )
    .unwrap();
    file.into_bytes()
}

/// A report with the figures of its year and of the two before.
fn report(company: &str, year: u32) -> Vec<u8> {
    let mut lines = vec![format!("Annual report of the company, fiscal year {year}")];
    lines.push("The board of directors presents results, risks and outlook.".into());
    for of in (year - 2..=year).rev() {
        let revenue = 100 + u64::from(of % 100) * company.len() as u64;
        lines.push(format!("Revenue in {of} was {revenue} million dollars."));
        lines.push(format!(
            "Operating income in {of} was {} million dollars.",
            revenue / 7
        ));
    }
    pdf(&lines)
}

#[test]
fn company_and_year_find_the_right_report_first() {
    let shell = Shell::new();
    std::fs::create_dir_all(shell.dir().join("reports")).unwrap();
    for (file, company) in COMPANIES {
        for year in YEARS {
            let path = format!("reports/{file}_{year}_10K.pdf");
            std::fs::write(shell.dir().join(path), report(company, year)).unwrap();
        }
    }
    let forms = [
        "What was the revenue of {company} in {year}?",
        "{company} {year} operating income",
        "How much did {company} earn in fiscal year {year}?",
        "Tell me the revenue from {company}'s {year} 10-K.",
    ];
    let mut wrong = Vec::new();
    let mut asked = 0;
    for (number, (file, company)) in COMPANIES.into_iter().enumerate() {
        for (form, year) in forms.iter().zip(YEARS.skip(number % 2)) {
            let question = form
                .replace("{company}", company)
                .replace("{year}", &year.to_string());
            let corpus = ["--corpus", "reports", "--top", "1", "-o", "json"];
            let again: &[&str] = if asked == 0 { &[] } else { &["--reuse"] };
            let ran = shell.run(&[&["search", question.as_str()], &corpus[..], again].concat());
            let found = ran.exits(0).json();
            let first = found["search"]["passages"][0]["source"].clone();
            asked += 1;
            if first != format!("{file}_{year}_10K.pdf").as_str() {
                wrong.push(format!("{question}: {first}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {asked}: {wrong:#?}", wrong.len());
}
