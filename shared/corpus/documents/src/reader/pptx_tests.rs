//! Tests of the text of a presentation. The sample was made by python-pptx.

use crate::reader::docx::tests::archive;
use crate::reader::tests::{all, body, read as document, sample};

/// A presentation of these shapes, a slide for each.
fn of_slides(slides: &[&str]) -> Vec<u8> {
    let ids = |form: fn(usize) -> String| (1..=slides.len()).map(form).collect::<String>();
    let mut parts = vec![
        (
            "ppt/presentation.xml".to_owned(),
            format!(
                "<p:presentation><p:sldIdLst>{}</p:sldIdLst></p:presentation>",
                ids(|n| format!("<p:sldId id='{}' r:id='rId{n}'/>", 255 + n))
            ),
        ),
        (
            "ppt/_rels/presentation.xml.rels".to_owned(),
            format!(
                "<Relationships>{}</Relationships>",
                ids(|n| format!(
                    "<Relationship Id='rId{n}' Type='http://x/slide' Target='/ppt/slides/s{n}.xml'/>"
                ))
            ),
        ),
    ];
    for (shapes, n) in slides.iter().zip(1..) {
        let xml = format!("<p:sld><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>");
        parts.push((format!("ppt/slides/s{n}.xml"), xml));
    }
    let parts: Vec<(&str, &[u8])> = parts
        .iter()
        .map(|(name, xml)| (name.as_str(), xml.as_bytes()))
        .collect();
    archive(&parts)
}

fn shape(kind: &str, paragraphs: &[&str]) -> String {
    let paragraph = |text: &&str| match text.split_once('@') {
        Some((mark, text)) => {
            format!("<a:p><a:pPr>{mark}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>")
        }
        None => format!("<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"),
    };
    let text: String = paragraphs.iter().map(paragraph).collect();
    format!("<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>")
}

#[test]
fn slides_are_read_as_they_are_shown() {
    let found = all("reports/crane.pptx", &sample("crane-report.pptx"));
    let document = found[0].as_ref().unwrap();
    assert_eq!(document.title, "Crane report");
    let lines = document.lines.iter().filter(|line| !line.text.is_empty());
    let lines: Vec<(u32, &str)> = lines
        .map(|line| (line.page.unwrap(), line.text.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            (1, "# Crane report"),
            (1, "Third quarter"),
            (2, "## Slide 2"),
            (2, "Only a text box"),
            (2, "|  | A |"),
            (2, "| 1 | 2 |"),
            (2, "| 3 | 4 |"),
            (2, "|  | B |"),
            (2, "| 5 | 6 |"),
            (3, "## Findings"),
            (3, "- Rope worn"),
            (3, "- North side"),
            (3, "Notes: Say that the rope was bought in 2019."),
            (3, "Ask for budget."),
            (5, "## Numbers"),
            (5, "| Part | Load |"),
            (5, "| Hook | 35 t |"),
            (5, "Chart: Lifts by quarter (thousand lifts)"),
            (5, "|  | North | South |"),
            (5, "| Q1 | 1.5 | 3 |"),
            (5, "| Q2 | 2.25 | 4.3 |"),
        ]
    );
    let skip = found[1].as_ref().unwrap_err();
    assert!(
        skip.reason
            .to_string()
            .contains("hidden slides left out: 1")
    );
}

#[test]
fn marks_of_paragraphs_are_those_that_people_see() {
    let numbered = "<a:buAutoNum type='alphaLcParenR' startAt='2'/>";
    let bullet = "<a:buChar char='•'/>";
    let none = "<a:buNone/>";
    let slide = [
        shape("<p:ph type='sldNum'/>", &["7"]),
        shape("<p:ph type='ftr'/>", &["Harbour Cranes"]),
        shape(
            "<p:ph idx='1'/>",
            &["in the list", &format!("{none}@out of it")],
        ),
        shape(
            "",
            &[
                &format!("{numbered}@first"),
                &format!("{numbered}@second"),
                &format!("{bullet}@third"),
                "plain",
            ],
        ),
        shape("<p:ph type='title'/>", &["Marks &amp; more"]),
    ]
    .concat();
    let second = shape("<p:ph type='ftr'/>", &["Harbour Cranes"]) + &shape("", &["x<a:t/>"]);
    let document = document("a.pptx", &of_slides(&[&slide, &second])).unwrap();
    assert_eq!(
        body(&document),
        [
            "## Marks & more",
            "- in the list",
            "out of it",
            "- b) first",
            "- c) second",
            "- third",
            "plain",
            "Harbour Cranes",
            "## Slide 2",
            "x",
        ]
    );
}

#[test]
fn a_damaged_slide_is_named_and_the_others_are_read() {
    let good = shape("", &["good"]);
    let found = all("a.pptx", &of_slides(&["<p:sp>", &good]));
    assert_eq!(body(found[0].as_ref().unwrap()), ["## Slide 2", "good"]);
    let reason = &found[1].as_ref().unwrap_err().reason;
    assert_eq!(reason.as_str(), "partial");
    assert!(reason.to_string().contains("a slide left out"), "{reason}");
    let none = document("a.pptx", &archive(&[("word/document.xml", b"<x/>")]));
    assert!(none.unwrap_err().to_string().contains("no presentation"));
    assert_eq!(
        document("a.pptx", b"\xd0\xcf\x11\xe0 old")
            .unwrap_err()
            .as_str(),
        "encrypted"
    );
}
