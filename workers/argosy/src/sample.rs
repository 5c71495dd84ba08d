//! The sample corpus and its questions. They are in the binary, so `argosy demo` works wherever it is installed.
//!
//! The files are those of `tests/fixtures`, listed one by one, so that building needs no script; a test compares
//! the list with the folder.

use std::io;
use std::path::Path;

/// The labelled questions, one JSON object a line; the first ones are the showcase.
pub const QUESTIONS: &str = include_str!("../../../tests/fixtures/questions.jsonl");

/// Questions about the documents themselves, in the same form: all of them are shown.
pub(crate) const TABLE_QUESTIONS: &str = include_str!("../../../tests/fixtures/tables.jsonl");

/// The documents: their paths below the corpus, and their bytes.
macro_rules! documents {
    ($($path:literal,)*) => {
        &[$(($path, include_bytes!(concat!("../../../tests/fixtures/corpus/", $path)))),*]
    };
}

/// Every document.
const DOCUMENTS: &[(&str, &[u8])] = documents![
    "certificates/calibration-tp120-sn40718.md",
    "certificates/calibration-tp120-sn40781.md",
    "certificates/helvion-rohs-declaration.md",
    "certificates/marrowgate-castings-iso9001-scan.txt",
    "certificates/marrowgate-north-iso9001.md",
    "certificates/pellworth-coatings-iso9001.md",
    "certificates/pellworth-laboratory-iso17025.html",
    "certificates/quillane-iso9001.md",
    "certificates/tessaly-iso14001-2023.md",
    "certificates/tessaly-iso9001-2021.md",
    "certificates/tessaly-iso9001-2024.md",
    "contracts/brightmoor-supply-2022-scan.txt",
    "contracts/brightmoor-supply-2025.md",
    "contracts/corvane-freight-amendment-1.md",
    "contracts/corvane-freight-framework.md",
    "contracts/lumenford-dpa.html",
    "contracts/lumenford-hosting-msa.md",
    "contracts/marrowgate-tooling.md",
    "contracts/nda-helvion.md",
    "contracts/nda-quillane.md",
    "contracts/osterby-cleaning-2023.md",
    "contracts/osterby-cleaning-2026.md",
    "contracts/pellworth-calibration-service.md",
    "datasheets/brightmoor-act-95.md",
    "datasheets/brightmoor-ipa-999.md",
    "datasheets/hv2n4410.md",
    "datasheets/hv2n4410a.md",
    "datasheets/hv2n4419.md",
    "datasheets/hv2p4410.md",
    "datasheets/hvd-1504-scan.txt",
    "datasheets/qd-7705.html",
    "datasheets/qd-7706.html",
    "datasheets/qd-7750-scan.txt",
    "datasheets/tp-102.md",
    "datasheets/tp-120.md",
    "datasheets/tp-120x.md",
    "generic/email-marrowgate-reminder.txt",
    "generic/fax-freight-claim-2024-scan.txt",
    "generic/incident-report-2025-07.md",
    "generic/intranet-it-onboarding.html",
    "generic/lumenford-year-end-notice.md",
    "generic/memo-cleaning-notice.md",
    "generic/minutes-procurement-2025-09.md",
    "generic/minutes-procurement-2025-11.md",
    "generic/note-transistor-substitution.md",
    "generic/price-list-2025-v1.md",
    "generic/price-list-2025-v2.md",
    "generic/quality-manual.md",
    "generic/solvent-storage-guideline.md",
    "generic/supplier-scorecard-2025.html",
    "generic/travel-policy-2024.md",
    "generic/travel-policy-2026.md",
    "invoices/brightmoor-bs-88214.md",
    "invoices/brightmoor-bs-88241-scan.txt",
    "invoices/brightmoor-cn-90017.md",
    "invoices/corvane-cl-24-0317.md",
    "invoices/corvane-cl-25-0317.md",
    "invoices/corvane-cl-25-0371.md",
    "invoices/helvion-hs-30551.md",
    "invoices/lumenford-lf-7741.md",
    "invoices/lumenford-lf-8741.md",
    "invoices/marrowgate-mg-5107-scan.txt",
    "invoices/osterby-oc-2025-06.html",
    "invoices/osterby-oc-2026-06.html",
    "invoices/pellworth-pl-1188.md",
];

/// The documents with their paths below the corpus.
pub fn documents() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    DOCUMENTS.iter().copied()
}

/// Writes the corpus into a folder, which is made.
///
/// # Errors
/// What the system says.
pub fn unpack(folder: &Path) -> io::Result<()> {
    for (path, bytes) in DOCUMENTS {
        let path = folder.join(path);
        if let Some(bucket) = path.parent() {
            std::fs::create_dir_all(bucket)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of all files below a folder.
    fn below(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let mut all = Vec::new();
        for entry in entries {
            let name = entry.file_name().into_string().unwrap();
            match entry.path().is_dir() {
                true => all.extend(
                    below(&entry.path())
                        .iter()
                        .map(|path| format!("{name}/{path}")),
                ),
                false => all.push(name),
            }
        }
        all.sort();
        all
    }

    #[test]
    fn the_list_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/corpus");
        let listed: Vec<_> = DOCUMENTS.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, below(Path::new(folder)));
    }

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("sample");
        unpack(&folder).unwrap();
        for (path, bytes) in DOCUMENTS {
            assert_eq!(std::fs::read(folder.join(path)).unwrap(), *bytes, "{path}");
        }
        assert_eq!(below(&folder).len(), DOCUMENTS.len());
    }
}
