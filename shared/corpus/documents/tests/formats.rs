//! Measures how fast the files of a folder are read. It asserts nothing and runs only on demand.
//!
//! `ARGOSY_FIGURES=FOLDER cargo test --release -p argosy-documents --test formats -- --ignored --nocapture`

use argosy_documents::reader::read_documents;
use envelope::TenantId;
use std::time::Instant;

/// Most resident memory that this process ever had, in MiB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

#[test]
#[ignore = "prints figures"]
fn figures() {
    let folder = settings::sources::variable("ARGOSY_FIGURES").expect("a folder of files to read");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let size = path.metadata().unwrap().len() as f64 / 1e6;
        let (mut documents, mut lines, mut bytes, mut skips) = (0, 0, 0, Vec::new());
        let start = Instant::now();
        for found in read_documents(&path, &name, &TenantId::default_tenant()) {
            match found {
                Ok(document) => {
                    documents += 1;
                    lines += document.lines.len();
                    bytes += document.lines.iter().map(|l| l.text.len()).sum::<usize>();
                }
                Err(skip) => skips.push(skip.reason.to_string()),
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name}: {size:.2} MB in {seconds:.3} s, {:.1} MB/s, {:.0} documents/s; \
             {documents} documents, {lines} lines, {:.1} MB of text, peak {:.0} MiB {skips:?}",
            size / seconds,
            f64::from(documents) / seconds,
            bytes as f64 / 1e6,
            peak()
        );
    }
}
