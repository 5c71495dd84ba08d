//! Tests of what text recognition writes: hOCR and ALTO.

use crate::document::Document;
use crate::reader::tests::{body, read};
use serde_json::json;

const PAGES: &str = r#"<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "x">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title></title><meta name='ocr-system' content='tesseract 5.3.0'/></head><body>
<div class='ocr_page' title='image "a.png"; ppageno 0'><div class='ocr_carea'><p class='ocr_par'>
<span class='ocr_line'><span class='ocrx_word' title='bbox 1 2 3 4; x_wconf 96'>The</span><span class='ocrx_word' title='x_wconf 90'><strong>infor-</strong></span></span>
<span class='ocr_line'><span class='ocrx_word' title='x_wconf 90'>mation</span> <span class='ocrx_word' title='x_wconf 8'>stands</span></span></p>
<p class='ocr_par'><span class='ocr_header'>No &amp; words</span></p></div></div>
<div class='ocr_page'><div class='ocr_caption'><span class='ocr_line'><span class='ocrx_word'>冷却</span><span class='ocrx_word'>水 の</span></span></div></div>
</body></html>"#;

fn paged(document: &Document) -> Vec<(Option<u32>, &str)> {
    let lines = document.lines.iter();
    lines.map(|line| (line.page, line.text.as_str())).collect()
}

#[test]
fn hocr_has_pages_lines_paragraphs_and_how_sure_it_is() {
    let d = read("scans/letter.hocr", PAGES.as_bytes()).unwrap();
    let wanted = [
        (Some(1), "The information"),
        (Some(1), "stands"),
        (Some(1), ""),
        (Some(1), "No & words"),
        (Some(1), ""),
        (Some(2), "冷却水 の"),
    ];
    assert_eq!(paged(&d), wanted);
    assert_eq!(d.metadata["ocr_confidence"], json!(0.71));
    assert_eq!(d.title, "letter");
}

#[test]
fn hocr_that_is_no_xml_is_read_as_a_page() {
    let page = "<html><body><div class=ocr_page><span class=ocr_line>One line<br></span></div>";
    let d = read("a.hocr", page.as_bytes()).unwrap();
    assert_eq!(body(&d), ["One line"]);
    assert!(!d.metadata.contains_key("ocr_confidence"));
}

#[test]
fn alto_has_pages_with_printed_numbers_and_whole_words() {
    let alto = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand --><a:alto xmlns:a="http://www.loc.gov/standards/alto/ns-v4#"><a:Description/><a:Layout>
<a:Page PHYSICAL_IMG_NR="7" PRINTED_IMG_NR="iv"><a:PrintSpace><a:TextBlock>
<a:TextLine><a:String CONTENT="Die" WC="0.9"/><a:SP/><a:String CONTENT="Kalt" WC="0.8" SUBS_TYPE="HypPart1" SUBS_CONTENT="Kaltmiete"/><a:HYP CONTENT="-"/></a:TextLine>
<a:TextLine><a:String CONTENT="miete" WC="0.7" SUBS_TYPE="HypPart2" SUBS_CONTENT="Kaltmiete"/><a:SP/><a:String CONTENT="be"/><a:HYP CONTENT="-"/></a:TextLine>
<a:TextLine><a:String CONTENT="trägt"/></a:TextLine></a:TextBlock><a:TextBlock><a:TextLine><a:String CONTENT="900 &amp; mehr" WC="2"/></a:TextLine></a:TextBlock></a:PrintSpace></a:Page>
<a:Page PRINTED_IMG_NR="2"><a:TextBlock><a:TextLine><a:String CONTENT="Ende"/></a:TextLine></a:TextBlock></a:Page></a:Layout></a:alto>"#;
    let d = read("a.xml", alto.as_bytes()).unwrap();
    let wanted = [
        (Some(1), "Die Kaltmiete"),
        (Some(1), "beträgt"),
        (Some(1), ""),
        (Some(1), ""),
        (Some(1), "900 & mehr"),
        (Some(1), ""),
        (Some(2), "Ende"),
    ];
    assert_eq!(paged(&d), wanted);
    assert_eq!(
        d.page_names.into_iter().collect::<Vec<_>>(),
        [(1, "iv".to_owned())]
    );
    assert_eq!(d.metadata["ocr_confidence"], json!(0.8));
    // Other XML is what it was.
    let d = read("b.xml", b"<r><alto>1</alto></r>").unwrap();
    assert_eq!(body(&d), ["alto: 1"]);
}

#[test]
fn what_stands_beside_pages_lines_and_words_is_read_as_well() {
    let page = r#"<html><head><title>No</title><style>x</style></head><body><p>Before <b>it</b></p>
<div class='ocr_page'><p class='ocr_par'><span class='ocr_line'>(a) <span class='ocrx_word'>Rent</span>, <b><span class='ocrx_word'>cold</span></b> 900 EUR</span></p>
<p class='ocr_par'><span class='ocrx_word'>No</span> <span class='ocrx_word'>line</span></p></div><p>After it</p></body></html>"#;
    let d = read("a.hocr", page.as_bytes()).unwrap();
    let text: Vec<&str> = body(&d)
        .into_iter()
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(
        text,
        ["Before it", "(a) Rent, cold 900 EUR", "No line", "After it"]
    );
}

#[test]
fn half_words_of_alto_stay_where_nobody_says_the_whole() {
    let lines = r#"<TextLine><String CONTENT="Kalt" SUBS_TYPE="HypPart1"/></TextLine>
<TextLine><String CONTENT="miete" SUBS_TYPE="HypPart2" SUBS_CONTENT="Kaltmiete"/></TextLine>"#;
    let name = "n".repeat(1_000);
    let long = "x <alto> ".repeat(500);
    let alto = format!(
        "<!-- {long} --><alto><Layout><Page PRINTED_IMG_NR='{name}'><TextBlock>{lines}</TextBlock></Page></Layout></alto>"
    );
    let wide: Vec<u8> = std::iter::once(0xfeff)
        .chain(alto.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for bytes in [alto.as_bytes(), &wide] {
        let d = read("a.xml", bytes).unwrap();
        assert_eq!(body(&d), ["Kalt", "miete"]);
        assert_eq!(d.page_names[&1].chars().count(), 100);
    }
}
