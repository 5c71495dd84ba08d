//! Tests the indexing of files of the largest allowed sizes: each is read, or refused by name, within limits of time
//! and memory. This takes minutes, so the tests are ignored by default (docs/operations/data.md).

use crate::shell::{Shell, signal};
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::{Child, Output};
use std::time::{Duration, Instant};

/// The longest time for one file.
const PATIENCE: Duration = Duration::from_secs(1_800);
/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Size of a file that holds many documents, in bytes.
const MANY_BYTES: usize = 128 * 1024 * 1024;
/// Words of the sentences here.
const WORDS: [&str; 16] = [
    "lease", "harbour", "notice", "tenant", "repair", "invoice", "bridge", "warden", "cargo",
    "winter", "meter", "permit", "signal", "copper", "ledger", "valley",
];

/// The peak memory of a process so far, in MB.
fn peak_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Indexes `docs`, and returns the result and the time. The process may take at most `mb` of memory at any time.
fn index(shell: &Shell, name: &str, exit: i32, mb: f64) -> (Value, Duration) {
    let child = shell.command(&["index", "docs", "-o", "json"]).spawn();
    let (ran, took, peak) = watched(child.unwrap());
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(exit), "{said} {errors}");
    let summary: Value = serde_json::from_str(&said).unwrap();
    println!(
        "{name}: {:.1} s, {peak:.0} MB at most, {} documents, {} chunks, skipped {}",
        took.as_secs_f64(),
        summary["indexed"],
        summary["chunks"],
        summary["skipped"]
    );
    assert!(peak < mb, "{name}: {peak:.0} MB");
    (summary, took)
}

fn watched(child: Child) -> (Output, Duration, f64) {
    let (pid, begun) = (child.id(), Instant::now());
    let reading = std::thread::spawn(move || child.wait_with_output());
    let mut peak: f64 = 0.0;
    while !reading.is_finished() {
        peak = peak.max(peak_mb(pid));
        if begun.elapsed() > PATIENCE {
            signal(pid, "-KILL");
            panic!("not done after {PATIENCE:?}");
        }
        std::thread::sleep(LOOK);
    }
    (reading.join().unwrap().unwrap(), begun.elapsed(), peak)
}

/// A file in `docs`, written piece by piece.
fn file(shell: &Shell, name: &str) -> BufWriter<File> {
    let path = shell.write(&format!("docs/{name}"), "");
    BufWriter::new(File::create(path).unwrap())
}

/// A sentence that says its number.
fn sentence(n: usize) -> String {
    let word = |shift: usize| WORDS[(n >> shift) % WORDS.len()];
    format!(
        "The {} {} number {n} of the {} wants a {} before the {}.",
        word(0),
        word(4),
        word(8),
        word(12),
        word(2)
    )
}

/// Whether a search for these words finds the file.
fn finds(shell: &Shell, words: &str, source: &str) -> bool {
    let args = ["search", words, "--corpus", "docs", "--reuse", "-o", "json"];
    shell.run(&args).exits(0).stdout.contains(source)
}

/// A PDF of so many pages of text.
fn pdf(out: &mut impl Write, pages: usize) {
    const LINES: usize = 25;
    let mut at = 0;
    let mut offsets = Vec::new();
    let mut put = |out: &mut dyn Write, text: &str| {
        out.write_all(text.as_bytes()).unwrap();
        at += text.len();
        at
    };
    let mut end = put(out, "%PDF-1.4\n");
    let mut object = |out: &mut dyn Write, body: &str| {
        offsets.push(end);
        end = put(out, &format!("{} 0 obj\n{body}\nendobj\n", offsets.len()));
        end
    };
    let kids: String = (0..pages).map(|n| format!("{} 0 R ", 4 + 2 * n)).collect();
    object(out, "<< /Type /Catalog /Pages 2 0 R >>");
    object(
        out,
        &format!("<< /Type /Pages /Count {pages} /Kids [{kids}] >>"),
    );
    object(
        out,
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    );
    let mut end = 0;
    for n in 0..pages {
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
             /Resources << /Font << /F 3 0 R >> >> >>",
            5 + 2 * n
        );
        object(out, &page);
        let mut said = "BT /F 10 Tf 12 TL 40 760 Td\n".to_owned();
        for line in 0..LINES {
            said += &format!("({}) Tj T*\n", sentence(n * LINES + line));
        }
        said += "ET";
        end = object(
            out,
            &format!("<< /Length {} >>\nstream\n{said}\nendstream", said.len()),
        );
    }
    let size = offsets.len() + 1;
    write!(out, "xref\n0 {size}\n0000000000 65535 f \n").unwrap();
    for offset in &offsets {
        writeln!(out, "{offset:010} 00000 n ").unwrap();
    }
    write!(
        out,
        "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{end}\n%%EOF\n"
    )
    .unwrap();
    out.flush().unwrap();
}

#[test]
#[ignore = "takes minutes"]
fn a_pdf_of_ten_thousand_pages() {
    let shell = Shell::new();
    let pages = documents::reader::PDF_PAGES_MAX;
    pdf(&mut file(&shell, "register.pdf"), pages);
    let (summary, _) = index(&shell, "PDF of 10,000 pages", 0, 1_500.0);
    assert_eq!(summary["indexed"], 1);
    assert!(
        summary["chunks"].as_u64().unwrap() > pages as u64,
        "{summary}"
    );
    let last = pages * 25 - 1;
    assert!(finds(&shell, &format!("number {last}"), "register.pdf"));
}

#[test]
#[ignore = "takes minutes"]
fn a_gigabyte_of_what_is_too_large_is_named_at_once() {
    let shell = Shell::new();
    shell.write("docs/note.md", "The harbour master is Ada Berg.\n");
    for name in ["huge.txt", "huge.pdf", "huge.html"] {
        let file = file(&shell, name).into_inner().unwrap();
        file.set_len(1 << 30).unwrap();
    }
    // One line without an end: nothing of it is a document, and it is not kept while it is read.
    let mut line = file(&shell, "huge.jsonl");
    line.write_all(b"{\"text\": \"").unwrap();
    for _ in 0..1 << 14 {
        line.write_all(&[b'a'; 1 << 16]).unwrap();
    }
    line.flush().unwrap();
    let (summary, took) = index(&shell, "four files of 1 GB", 1, 300.0);
    assert_eq!(summary["indexed"], 1, "{summary}");
    let skipped = summary["skipped"].as_array().unwrap();
    for (name, limit) in [
        ("huge.txt", "16 MiB"),
        ("huge.html", "16 MiB"),
        ("huge.pdf", "128 MiB"),
        ("huge.jsonl", "16 MiB"),
    ] {
        let named = |s: &&Value| s["source"].as_str().unwrap().starts_with(name);
        let reason = skipped
            .iter()
            .find(named)
            .unwrap_or_else(|| panic!("{name}: {summary}"));
        assert!(
            reason["reason"].as_str().unwrap().contains(limit),
            "{reason}"
        );
    }
    // Some seconds of a core; a machine with other work may take its time.
    assert!(took < Duration::from_secs(600), "{took:?}");
}

#[test]
#[ignore = "takes minutes"]
fn a_jsonl_file_of_many_documents() {
    let shell = Shell::new();
    let mut out = file(&shell, "rows.jsonl");
    let (mut written, mut n) = (0, 0);
    while written < MANY_BYTES {
        let text: Vec<String> = (0..200).map(|line| sentence(n * 200 + line)).collect();
        let row = serde_json::json!({"id": format!("row{n}"), "text": text.join(" ")});
        let row = format!("{row}\n");
        out.write_all(row.as_bytes()).unwrap();
        (written, n) = (written + row.len(), n + 1);
    }
    out.flush().unwrap();
    let (summary, _) = index(&shell, "JSONL of 128 MiB", 0, 2_000.0);
    assert_eq!(summary["indexed"], n, "{summary}");
    assert!(finds(
        &shell,
        &format!("number {}", n * 200 - 1),
        "rows.jsonl"
    ));
}

#[test]
#[ignore = "takes minutes"]
fn a_table_of_many_rows() {
    let shell = Shell::new();
    let mut out = file(&shell, "rows.csv");
    writeln!(out, "number,clause,place").unwrap();
    let (mut written, mut n) = (0, 0);
    while written < MANY_BYTES {
        let row = format!("{n},\"{}\",{}\n", sentence(n), WORDS[n % WORDS.len()]);
        out.write_all(row.as_bytes()).unwrap();
        (written, n) = (written + row.len(), n + 1);
    }
    out.flush().unwrap();
    let (summary, _) = index(&shell, "CSV of 128 MiB", 0, 2_000.0);
    assert!(summary["indexed"].as_u64().unwrap() > 8, "{summary}");
    assert!(finds(&shell, &format!("number {}", n - 1), "rows.csv"));
}
