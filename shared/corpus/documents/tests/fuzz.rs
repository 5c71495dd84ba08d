//! Tests with hostile input: each reader gets arbitrary bytes and broken copies of good files, the chunker arbitrary
//! text, and the filters arbitrary JSON. Nothing may panic, hang or use memory without bound.
//!
//! Only a few cases run with the other tests. CI runs `ARGOSY_FUZZ_CASES=1000`, which takes 5 to 10 s of one core for
//! each target; 1000000 cases take a night.

use argosy_documents::chunk;
use argosy_documents::chunk::CHUNK_TOKENS_MAX;
use argosy_documents::document::NumberedLine;
use argosy_documents::reader::{TEXT_BYTES_MAX, read_documents};
use envelope::{ConditionOrigin, Filter, TenantId};
use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;

/// Cases per property by default.
const CASES: u32 = 24;
/// How much quicker than reading a damaged file it is to refuse what is none, and to parse a filter.
const NO_FILE: u32 = 4;
const FILTER: u32 = 15;
/// Most documents that the small inputs here can hold.
const DOCUMENTS_MAX: usize = 5_000;

/// So many times the cases, for what is that much quicker than others.
fn config(times: u32) -> ProptestConfig {
    let cases = settings::sources::variable("ARGOSY_FUZZ_CASES").map(|value| {
        let value = value.to_string_lossy();
        value
            .parse()
            .unwrap_or_else(|_| panic!("ARGOSY_FUZZ_CASES=`{value}`: want a number"))
    });
    ProptestConfig {
        cases: cases.unwrap_or(CASES).saturating_mul(times),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Good files: extension and bytes.
static SAMPLES: LazyLock<Vec<(&str, Vec<u8>)>> = LazyLock::new(|| {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/fixtures/formats"
    );
    let file = |name: &str| std::fs::read(Path::new(folder).join(name)).expect("a fixture");
    let text = "---\ntitle: T\n---\n# A\n\nWords, größer.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let html = "<html><head><title>T</title></head><body><table><tr><td>1</td></tr></table></body>";
    vec![
        ("pdf", file("lease-reportlab.pdf")),
        ("pdf", file("lease-weasyprint.pdf")),
        ("pdf", file("lease-cairo.pdf")),
        ("pdf", file("no-printing.pdf")),
        ("pdf", file("password.pdf")),
        ("docx", file("lease.docx")),
        ("docx", file("crane-manual.docx")),
        ("pptx", file("crane-report.pptx")),
        ("md", text.into()),
        (
            "txt",
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
        ("html", html.into()),
        ("xlsx", file("crane-budget.xlsx")),
        ("xls", file("crane-budget.xls")),
        ("ods", file("crane-budget.ods")),
        ("fods", "<office:document><table:table table:name=\"T\"><table:table-row><table:table-cell table:number-columns-repeated=\"2\"><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:document>".into()),
        ("ipynb", "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"a\"],\"outputs\":[{\"text\":\"b\"}]}]}".into()),
        ("json", "[{\"text\":\"one\",\"id\":1},{\"data\":[{\"body\":\"<p>two</p>\",\"answers\":[{\"text\":\"x\"}]}]}]".into()),
        ("csv", "T\n\na;b\n1,5;2\n3,5;4\n".into()),
        ("csv", "a;b\n\"x\n\"\"y\";2\n3;4\n".into()),
        ("epub", file("crane.epub")),
        ("eml", file("crane.eml")),
        ("mbox", [b"From a Sun Mar  3 14:05:00 2024\n".as_slice(), &file("crane.eml")].concat()),
        ("mhtml", "MIME-Version: 1.0\nContent-Type: text/html\n\n<p hidden>a<p>b".into()),
        ("zip", file("crane.odt")),
        ("html", "<style>.a,p.b{display:none}@media x{p{opacity:1}}</style><p class=a style='color:#fff'>x<p class=b aria-hidden=true>y<p>z".into()),
        ("odt", file("crane.odt")),
        ("rtf", file("crane.rtf")),
        ("rtf", "{\\rtf1{\\footnote a\\u228?\\par}\\trowd b\\cell\\row\\v c}".into()),
        ("fodt", "<office:document><office:body><text:list><text:list-item><text:p>a</text:p></text:list-item></text:list></office:body></office:document>".into()),
        ("xml", "<a><sec><title>T</title><p>x<fn>n</fn></p><table><tr><td>1</td></tr></table></sec></a>".into()),
        ("adoc", "= T\nA. B\n\n[cols=2*]\n|===\n|a 2+|*b*\n|===\n. c footnote:[d] {e}\n----\nf\n----\n".into()),
        ("tex", "\\title{T}\\begin{document}a\\footnote{b} \\'e $x$ \\begin{tabular}{l}1&2\\\\\\end{tabular}\\item c".into()),
        ("rst", "T\n=\n\n#. a :r:`b <c>` |s|\n\n.. |s| replace:: d\n\n+--+--+\n| 1 | 2 |\n+--+--+\n\n== ==\na  b\n== ==\n".into()),
        ("xml", "<a><r k='1'><v>1</v></r><r><v>2</v></r></a>".into()),
        ("xml", "<alto><Layout><Page PRINTED_IMG_NR='iv'><TextLine><String CONTENT='a' WC='0.5' SUBS_TYPE='HypPart1' SUBS_CONTENT='ab'/><HYP/></TextLine></Page></Layout></alto>".into()),
        ("hocr", "<html><div class='ocr_page'><p class='ocr_par'><span class='ocr_line'><span class='ocrx_word' title='x_wconf 90'>a</span></span></p></div></html>".into()),
        (
            "jsonl",
            "{\"text\":\"one\",\"id\":1}\n{\"text\":\"two\",\"metadata\":{\"k\":[1]}}\n".into(),
        ),
    ]
});

const EXTENSIONS: [&str; 30] = [
    "pdf", "docx", "pptx", "md", "txt", "html", "csv", "tsv", "jsonl", "odt", "fodt", "rtf", "xml",
    "rst", "adoc", "tex", "epub", "eml", "msg", "mhtml", "mbox", "zip", "xlsx", "ods", "fods",
    "xls", "xlsb", "ipynb", "json", "hocr",
];

/// What is done to a good file.
#[derive(Debug, Clone)]
enum Damage {
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Repeat(prop::sample::Index, prop::sample::Index),
    Drop(prop::sample::Index, prop::sample::Index),
    Insert(prop::sample::Index, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        6 => (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        1 => at().prop_map(Damage::Cut),
        1 => (at(), at()).prop_map(|(from, to)| Damage::Repeat(from, to)),
        1 => (at(), at()).prop_map(|(from, to)| Damage::Drop(from, to)),
        1 => (at(), prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(at, b)| Damage::Insert(at, b)),
    ]
}

fn damaged(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        if bytes.is_empty() {
            break;
        }
        let size = bytes.len();
        let range = |a: &prop::sample::Index, b: &prop::sample::Index| {
            let (a, b) = (a.index(size), b.index(size));
            a.min(b)..a.max(b)
        };
        match damage {
            Damage::Flip(at, byte) => bytes[at.index(size)] ^= byte,
            Damage::Cut(at) => bytes.truncate(at.index(size)),
            Damage::Repeat(from, to) => {
                let copy = bytes[range(from, to)].to_vec();
                bytes.extend(copy);
            }
            Damage::Drop(from, to) => drop(bytes.drain(range(from, to))),
            Damage::Insert(at, new) => {
                let at = at.index(size);
                bytes.splice(at..at, new.iter().copied());
            }
        }
    }
    bytes
}

/// Reads a file to its end and cuts what it says; what comes out is bounded.
fn read(extension: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("written");
    let source = format!("a.{extension}");
    let tenant = TenantId::default_tenant();
    let mut count = 0;
    for found in read_documents(file.path(), &source, &tenant) {
        count += 1;
        prop_assert!(count <= DOCUMENTS_MAX);
        let Ok(document) = found else { continue };
        let bytes: usize = document.lines.iter().map(|line| line.text.len()).sum();
        prop_assert!(bytes <= TEXT_BYTES_MAX);
        for piece in chunk::chunks(&document.lines) {
            prop_assert!(chunk::tokens(&piece.text) <= CHUNK_TOKENS_MAX);
        }
    }
    prop_assert!(
        count > 0 || extension.starts_with("json") || extension == "csv" || extension == "tsv"
    );
    Ok(())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("gte".to_owned()),
        Just("in".to_owned()),
        Just("contains".to_owned()),
        Just("source".to_owned()),
        "\\PC{0,12}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(config(NO_FILE))]

    #[test]
    fn any_bytes(extension in prop::sample::select(&EXTENSIONS[..]), bytes in prop::collection::vec(any::<u8>(), 0..4_000)) {
        read(extension, &bytes)?;
    }

    #[test]
    fn any_bytes_behind_a_good_start(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        read("pdf", &[b"%PDF-1.4\n".as_slice(), &bytes].concat())?;
        read("pptx", &[b"PK\x03\x04".as_slice(), &bytes].concat())?;
        read("docx", &[b"PK\x03\x04".as_slice(), &bytes].concat())?;
        read("zip", &[b"PK\x03\x04".as_slice(), &bytes].concat())?;
        read("msg", &[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &bytes].concat())?;
        read("eml", &[b"From: a\n".as_slice(), &bytes].concat())?;
    }
}

proptest! {
    #![proptest_config(config(1))]

    #[test]
    fn damaged_files(which in any::<prop::sample::Index>(), damages in prop::collection::vec(damage(), 1..12)) {
        let (extension, bytes) = which.get(&SAMPLES);
        read(extension, &damaged(bytes.clone(), &damages))?;
    }

    #[test]
    fn any_lines(texts in prop::collection::vec("(?s).{0,300}", 0..40), pages in any::<bool>()) {
        let lines: Vec<NumberedLine> = (1..)
            .zip(texts)
            .map(|(number, text)| NumberedLine { number, page: pages.then_some(number / 5 + 1), text })
            .collect();
        for piece in chunk::chunks(&lines) {
            prop_assert!(chunk::tokens(&piece.text) <= CHUNK_TOKENS_MAX);
        }
    }
}

proptest! {
    #![proptest_config(config(FILTER))]

    #[test]
    fn any_filter(value in json()) {
        let _ = Filter::parse(&value, ConditionOrigin::User);
    }
}
