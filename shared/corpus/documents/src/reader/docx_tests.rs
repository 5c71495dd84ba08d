//! Tests of the text of a Word document, and of the errors for a damaged one.

use super::*;
use crate::reader::tests::{body, read, sample};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive of these parts.
pub(in crate::reader) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn of_body(body: &str) -> Vec<u8> {
    let xml = format!("<w:document xmlns:w='x'><w:body>{body}</w:body></w:document>");
    archive(&[("word/document.xml", xml.as_bytes())])
}

#[test]
fn structure_becomes_markdown_and_properties_become_fields() {
    let d = read("contracts/lease.docx", &sample("lease.docx")).unwrap();
    assert_eq!(d.title, "Lease Agreement Harbour Street");
    assert_eq!(
        body(&d),
        [
            "# Lease Agreement Harbour Street",
            "# Rent",
            "The tenant pays a monthly rent of 1,250.00 euro & VAT – “in advance”.",
            "- on the first day",
            "## Prices",
            "| Item | Quantity | Price |",
            "| Desk lamp | 4 | 39.90 |",
            "| Office chair | 12 | 189.00 |",
            "Kept words",
        ]
    );
    for (key, value) in [
        ("author", "A. Writer"),
        ("created", "2024-03-01"),
        ("modified", "2024-04-02"),
    ] {
        assert_eq!(d.metadata[key], value);
    }
}

#[test]
fn deleted_and_doubled_text_is_passed_over() {
    let d = read("a.docx", &of_body(
        "<w:p><w:r><w:t>kept </w:t></w:r><w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>\
         <mc:AlternateContent><mc:Choice><w:r><w:t>once &#8364; &amp; all</w:t></w:r></mc:Choice>\
         <mc:Fallback><w:r><w:t>once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>\
         <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc>\
         <w:tc><w:p/></w:tc></w:tr></w:tbl>",
    )).unwrap();
    assert_eq!(body(&d), ["kept once € & all", "| a b |  |"]);
}

#[test]
fn bad_archives_are_named() {
    let whole = sample("lease.docx");
    let cut = read("a.docx", &whole[..whole.len() / 2]).unwrap_err();
    assert_eq!(cut.as_str(), "broken", "{cut}");
    let other = archive(&[("xl/workbook.xml", b"<x/>")]);
    assert!(
        read("a.docx", &other)
            .unwrap_err()
            .to_string()
            .contains("no Word document")
    );
    let open = archive(&[("word/document.xml", b"<w:document><w:body><w:p>")]);
    assert_eq!(read("a.docx", &open).unwrap_err().as_str(), "broken");
    let deep = of_body(&"<w:p>".repeat(100_000));
    assert_eq!(read("a.docx", &deep).unwrap_err().as_str(), "broken");
    assert_eq!(read("a.docx", &of_body("<w:p/>")), Err(SkipReason::Empty));
}

#[test]
fn a_zip_bomb_is_refused_by_its_unpacked_size() {
    let bomb = archive(&[("word/document.xml", &vec![b' '; 2_000_000])]);
    assert!(bomb.len() < 10_000);
    assert_eq!(
        parse_within(&bomb, 1_000_000),
        Err(SkipReason::Inflates(1_000_000))
    );
}

#[test]
fn notes_lists_formulas_and_tables_of_a_program_are_read() {
    let d = read("manuals/crane.docx", &sample("crane-manual.docx")).unwrap();
    let lines = body(&d);
    let at = |start: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(start))
            .unwrap()
    };
    let limit = at("The limit");
    assert_eq!(
        lines[limit..limit + 2],
        [
            "The limit of the tower crane is 40 t [note 1]. The jib turns at $\\frac{3}{4}$ of full speed, and $E=mc^{2}$.",
            "[note 1] With the wind sensor off the limit is 35 t.",
        ]
    );
    let hatch = at("1. Open");
    assert_eq!(
        lines[hatch..hatch + 9],
        [
            "1. Open the hatch",
            "2. Check the rope",
            "- a) left side",
            "- b) right side",
            "3. Close the hatch",
            "- (iv) Roman four",
            "- (v) Roman five",
            "- one",
            "- two",
        ]
    );
    let part = at("| Part");
    assert_eq!(
        lines[part..],
        [
            "| Part | Load |",
            "| Hook | 35 t [note 2] |",
            "| Rope | 12 t |",
            "[note 2] Only below 30 degrees.",
            "After the table.",
        ]
    );
    let formula = lines[limit + 2];
    for part in [
        "\\sum_{i=1}^{n}x_{i}=\\int_{0}^{∞}",
        "a & b \\\\ c & d",
        "\\sqrt[3]{x}",
        "\\bar{x}",
        "α≤β",
    ] {
        assert!(formula.contains(part), "{part} in {formula}");
    }
}

/// A document with other parts: name, kind of the relation, and what is in it.
fn with_parts(body: &str, parts: &[(&str, &str, &str)]) -> Vec<u8> {
    let xml = format!("<w:document xmlns:w='x'><w:body>{body}</w:body></w:document>");
    let relation = |(name, kind, _): &(&str, &str, &str)| {
        format!("<Relationship Id='{name}' Type='http://x/{kind}' Target='{name}.xml'/>")
    };
    let relations: String = parts.iter().map(relation).collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let names: Vec<String> = parts
        .iter()
        .map(|(name, ..)| format!("word/{name}.xml"))
        .collect();
    let mut all: Vec<(&str, &[u8])> = vec![
        ("word/document.xml", xml.as_bytes()),
        ("word/_rels/document.xml.rels", relations.as_bytes()),
    ];
    for (name, (kind, _, part)) in names.iter().zip(parts) {
        let name = if *kind == "app" {
            "docProps/app.xml"
        } else {
            name
        };
        all.push((name, part.as_bytes()));
    }
    archive(&all)
}

fn p(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

pub(super) const NUMBERING: &str = "<w:numbering>\
    <w:abstractNum w:abstractNumId='1'>\
    <w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='upperRoman'/><w:lvlText w:val='§ %1'/><w:pStyle w:val='H'/></w:lvl>\
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:isLgl/><w:lvlText w:val='%1.%2'/></w:lvl>\
    <w:lvl w:ilvl='2'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%3)'/><w:lvlRestart w:val='0'/></w:lvl>\
    <w:lvl w:ilvl='3'><w:numFmt w:val='bullet'/><w:lvlText w:val='o'/></w:lvl>\
    <w:lvl w:ilvl='4'><w:numFmt w:val='none'/><w:lvlText w:val=''/></w:lvl></w:abstractNum>\
    <w:num w:numId='1'><w:abstractNumId w:val='1'/></w:num>\
    <w:num w:numId='2'><w:abstractNumId w:val='1'/>\
    <w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride></w:num></w:numbering>";

#[test]
fn paragraphs_are_numbered_as_people_see_them() {
    let styles = "<w:styles><w:style w:styleId='H'><w:name w:val='heading 1'/><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>\
        <w:style w:styleId='Mine'><w:basedOn w:val='H'/></w:style></w:styles>";
    let at = |list: u32, level: u32| {
        format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{list}'/></w:numPr>")
    };
    let body_xml: String = [
        p("<w:pStyle w:val='H'/>", "Scope"),
        p(&at(1, 1), "one"),
        p(&at(1, 2), "a"),
        p("<w:pStyle w:val='Mine'/>", "Terms"),
        p(&at(1, 2), "goes on"),
        p(&at(1, 1), "after a level that was passed over"),
        p(&at(1, 3), "bullet"),
        p(&at(1, 4), "none"),
        p(&at(2, 0), "anew"),
        p(&at(1, 0), "on"),
        p(&format!("<w:pStyle w:val='H'/>{}", at(0, 0)), "Without"),
        format!(
            "<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>",
            p(&at(1, 0), "cell")
        ),
    ]
    .concat();
    let bytes = with_parts(
        &body_xml,
        &[
            ("styles", "styles", styles),
            ("numbering", "numbering", NUMBERING),
        ],
    );
    assert_eq!(
        body(&read("a.docx", &bytes).unwrap()),
        [
            "# § III Scope",
            "- 3.1 one",
            "- a) a",
            "- § IV Terms",
            "- b) goes on",
            "- 4.2 after a level that was passed over",
            "- bullet",
            "none",
            "- § I anew",
            "- § II on",
            "# Without",
            "| § III cell |",
        ]
    );
}

#[test]
fn headers_and_footers_are_read_once_and_without_numbers_of_pages() {
    let field = "<w:p><w:r><w:t>Page </w:t></w:r><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r>\
        <w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r></w:p>";
    let header = format!("<w:hdr>{}{field}</w:hdr>", p("", "Harbour Cranes"));
    let first = format!("<w:hdr>{}</w:hdr>", p("", "never shown"));
    let footer = format!(
        "<w:ftr>{}{}</w:ftr>",
        p("", "Harbour Cranes"),
        p("", "Call 555-0199")
    );
    let section = "<w:sectPr><w:headerReference w:type='default' r:id='header'/><w:headerReference w:type='first' r:id='first'/>\
        <w:footerReference w:type='default' r:id='footer'/></w:sectPr>";
    let bytes = with_parts(
        &format!("{}{section}{section}", p("", "Text")),
        &[
            ("header", "header", &header),
            ("first", "header", &first),
            ("footer", "footer", &footer),
        ],
    );
    let document = read("a.docx", &bytes).unwrap();
    assert_eq!(body(&document), ["Harbour Cranes", "Text", "Call 555-0199"]);
    let numbers: Vec<u32> = document.lines.iter().map(|line| line.number).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u32));
}

#[test]
fn boxes_fields_and_signs_are_as_people_see_them() {
    let sdt = |ticked: u8| {
        format!(
            "<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val='{ticked}'/></w14:checkbox></w:sdtPr>\
             <w:sdtContent><w:r><w:t>✓</w:t></w:r></w:sdtContent></w:sdt><w:r><w:t>Tea</w:t></w:r>"
        )
    };
    let form = |form: &str| {
        format!(
            "<w:p><w:r><w:fldChar w:fldCharType='begin'><w:ffData>{form}</w:ffData></w:fldChar></w:r></w:p>"
        )
    };
    let xml = [
        format!("<w:p>{}</w:p><w:p>{}</w:p>", sdt(1), sdt(0)),
        p("", "☒ typed ☐"),
        form("<w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox>"),
        form("<w:ddList><w:result w:val='1'/><w:listEntry w:val='red'/><w:listEntry w:val='blue &amp; green'/></w:ddList>"),
        "<w:p><w:r><w:sym w:font='Wingdings' w:char='F0A8'/></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>\
         <w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>-2</w:t></w:r></w:p>".to_owned(),
    ];
    assert_eq!(
        body(&read("a.docx", &of_body(&xml.concat())).unwrap()),
        [
            "[x] Tea",
            "[ ] Tea",
            "[x] typed [ ]",
            "[x]",
            "blue & green",
            "[ ] 10⁻²"
        ]
    );
}

#[test]
fn text_boxes_charts_and_endnotes_follow_their_paragraph() {
    let boxed = "<mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></mc:Choice>\
        <mc:Fallback><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></mc:Fallback></mc:AlternateContent>";
    let xml = format!(
        "<w:p><w:r><w:t>before.</w:t>{boxed}</w:r><w:r><w:endnoteReference w:id='2'/></w:r><w:r><w:t> behind</w:t></w:r>\
         <w:r><w:drawing><c:chart r:id='chart'/></w:drawing></w:r></w:p>{}",
        p("", "next")
    );
    let note = format!(
        "<w:endnotes><w:endnote w:id='2'>{}{}</w:endnote></w:endnotes>",
        p("", "First."),
        p("", "Second.")
    );
    let points = |values: &[&str]| {
        let point =
            |(at, value): (usize, &&str)| format!("<c:pt idx='{at}'><c:v>{value}</c:v></c:pt>");
        values.iter().enumerate().map(point).collect::<String>()
    };
    let chart = format!(
        "<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Lo</a:t></a:r><a:r><a:t>ads</a:t></a:r></a:p></c:rich></c:tx></c:title>\
         <c:ser><c:tx><c:v>Share</c:v></c:tx><c:cat>{}</c:cat><c:val><c:numCache><c:formatCode>0%</c:formatCode>{}</c:numCache></c:val></c:ser>\
         <c:ser><c:tx><c:v>t</c:v></c:tx><c:val>{}</c:val></c:ser></c:chart></c:chartSpace>",
        points(&["A|B", "C"]),
        points(&["0.25", "0.5"]),
        points(&["4.2999999999999998"]),
    );
    let bytes = with_parts(
        &xml,
        &[("endnotes", "endnotes", &note), ("chart", "chart", &chart)],
    );
    assert_eq!(
        body(&read("a.docx", &bytes).unwrap()),
        [
            "before [note i]. behind",
            "boxed",
            "[note i] First. Second.",
            "Chart: Loads",
            "|  | Share | t |",
            "| A/B | 25% | 4.3 |",
            "| C | 50% |  |",
            "next",
        ]
    );
}

#[test]
fn a_cell_that_stands_for_several_is_said_in_each() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p("", text))
    };
    let rows = [
        cell("", "Crane") + &cell("<w:gridSpan w:val='2'/>", "Limits"),
        cell("<w:vMerge w:val='restart'/>", "Tower") + &cell("", "35 t") + &cell("", "calm"),
        cell("<w:vMerge/>", "") + &cell("", "20 t") + &cell("", "windy"),
        cell("<w:gridSpan w:val='3'/>", "All of it"),
        "<w:trPr><w:gridBefore w:val='1'/></w:trPr>".to_owned() + &cell("", "late"),
    ];
    let rows: String = rows
        .iter()
        .map(|row| format!("<w:tr>{row}</w:tr>"))
        .collect();
    assert_eq!(
        body(&read("a.docx", &of_body(&format!("<w:tbl>{rows}</w:tbl>"))).unwrap()),
        [
            "| Crane | Limits | Limits |",
            "| Tower | 35 t | calm |",
            "| Tower | 20 t | windy |",
            "| All of it |",
            "|  | late |"
        ]
    );
}

#[test]
fn pages_are_those_that_the_program_wrote_down_for_this_text() {
    let xml = "<w:p><w:r><w:t>One is long. Two goes </w:t><w:lastRenderedPageBreak/><w:t>on. Three.</w:t></w:r></w:p>\
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>Four.</w:t></w:r></w:p>";
    let app = |pages: u32, characters: u32| {
        format!(
            "<Properties><Pages>{pages}</Pages><Characters>{characters}</Characters></Properties>"
        )
    };
    let pages = |app: &str| {
        let document = read("a.docx", &with_parts(xml, &[("app", "app", app)])).unwrap();
        let lines = document
            .lines
            .into_iter()
            .filter(|line| !line.text.is_empty());
        lines.map(|line| (line.page, line.text)).collect::<Vec<_>>()
    };
    let line = |page, text: &str| (page, text.to_owned());
    assert_eq!(
        pages(&app(3, 33)),
        [
            line(Some(1), "One is long. Two goes on."),
            line(Some(2), "Three."),
            line(Some(3), "Four.")
        ]
    );
    let without = [
        line(None, "One is long. Two goes on."),
        line(None, "Three."),
        line(None, "Four."),
    ];
    for app in [app(2, 33), app(3, 20), app(3, 100), String::new()] {
        assert_eq!(pages(&app), without, "{app}");
    }
}

#[test]
fn damaged_notes_and_charts_do_not_hide_the_text() {
    let bytes = with_parts(
        &p("", "text"),
        &[
            ("footnotes", "footnotes", "<w:footnotes><w:p>"),
            ("chart", "chart", "<c>"),
        ],
    );
    let parsed = parse(&bytes).unwrap();
    assert!(parsed.lines.iter().any(|line| line.text == "text"));
    assert_eq!(parsed.left_out.unwrap().as_str(), "partial");
}

#[test]
fn a_value_is_unescaped_once() {
    let start = BytesStart::from_content(r#"w:x w:val="a &amp;amp; b""#, 3);
    assert_eq!(value(&start).as_deref(), Some("a &amp; b"));
}
