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

/// A PDF with a page for each of these drawings.
pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut objects = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned(), String::new()];
    objects.push("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".into());
    let mut kids = String::new();
    for drawing in pages {
        let at = objects.len() + 1;
        kids += &format!("{at} 0 R ");
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {} 0 R/Resources<</Font<</F 3 0 R>>>>>>",
            at + 1
        ));
        let length = drawing.len();
        objects.push(format!("<</Length {length}>>stream\n{drawing}\nendstream"));
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", pages.len());
    let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
    for (n, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj{object}endobj\n", n + 1);
    }
    let (at, count) = (file.len(), objects.len() + 1);
    file += &format!("xref\n0 {count}\n0000000000 65535 f \n{table}");
    file += &format!("trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF");
    file.into_bytes()
}

/// A PDF of one page with these lines.
fn lines_of(lines: &[String]) -> Vec<u8> {
    let mut drawn = String::from("BT /F 11 Tf 14 TL 50 780 Td\n");
    for line in lines {
        writeln!(drawn, "({line}) Tj T*").unwrap();
    }
    drawn.push_str("ET");
    pdf(&[&drawn])
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
    lines_of(&lines)
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
