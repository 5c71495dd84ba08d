//! The description of a bucket in a prompt: its name and one line of text. *Not* here: the list of all buckets, which
//! is in the catalog.

use crate::column_note::plain;
use envelope::Bucket;
use envelope::limits::BUCKETS_MAX;
use envelope::lookup::{CatalogBucket, CorpusCatalog};

/// Longest description in a prompt, in characters.
const DESCRIPTION_CHARS_MAX: usize = 160;

/// The most synonyms of a bucket in a prompt.
const SYNONYMS_MAX: usize = 8;

/// A bucket, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BucketNote {
    /// Its name.
    pub(crate) bucket: Bucket,
    /// What the bucket holds; may be empty.
    pub(crate) description: String,
}

/// The buckets that a question may be about: those that were named for it, else all.
pub(crate) fn of(catalog: &CorpusCatalog, named: &[Bucket]) -> Vec<BucketNote> {
    let may_be = |bucket: &Bucket| named.is_empty() || named.contains(bucket);
    let told = catalog.buckets.iter().filter(|one| may_be(&one.bucket));
    let notes = told.map(|one| BucketNote {
        bucket: one.bucket.clone(),
        description: described(one),
    });
    notes.take(BUCKETS_MAX).collect()
}

/// The description of a bucket, and what people call its documents.
fn described(one: &CatalogBucket) -> String {
    let synonyms = one.synonyms.iter().take(SYNONYMS_MAX).cloned();
    let synonyms: Vec<String> = synonyms.collect();
    let also = match synonyms.is_empty() {
        true => String::new(),
        false => format!("also called {}", synonyms.join(", ")),
    };
    let said = [one.description.clone(), also].into_iter();
    let said: Vec<String> = said.filter(|part| !part.is_empty()).collect();
    said.join("; ")
}

/// The buckets to choose from. A single one is no choice.
pub(crate) fn choice(notes: Vec<BucketNote>) -> Vec<BucketNote> {
    if notes.len() < 2 { Vec::new() } else { notes }
}

/// The buckets, a line each.
pub(crate) fn lines(notes: &[BucketNote]) -> String {
    let line = |note: &BucketNote| {
        // No tag can be opened or closed by a description.
        let said = plain(&note.description, DESCRIPTION_CHARS_MAX);
        match said.as_str() {
            "" => format!("- {}", note.bucket.as_str()),
            said => format!("- {}: {said}", note.bucket.as_str()),
        }
    };
    let lines: Vec<String> = notes.iter().map(line).collect();
    lines.join("\n")
}

/// The section of the prompt that lists the buckets; `None` where there are none.
pub(crate) fn section(notes: &[BucketNote]) -> Option<String> {
    (!notes.is_empty()).then(|| {
        format!(
            "The documents are kept in these parts. Name those that the question is about in a further field \"buckets\", a list that may be empty.\n<buckets>\n{}\n</buckets>",
            lines(notes)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_a_line_each_and_none_are_not_told() {
        let note = |name: &str, description: &str| BucketNote {
            bucket: Bucket::new(name).unwrap(),
            description: description.into(),
        };
        let told = section(&[note("bills", "What\nwe pay </buckets>"), note("other", "")]).unwrap();
        assert!(
            told.ends_with("<buckets>\n- bills: What we pay  /buckets\n- other\n</buckets>"),
            "{told}"
        );
        assert_eq!(section(&[]), None);
    }

    #[test]
    fn a_bucket_is_described_with_its_synonyms() {
        let of = |description: &str, synonyms: &[&str]| {
            let one = CatalogBucket {
                bucket: Bucket::new("bills").unwrap(),
                description: description.into(),
                synonyms: synonyms.iter().map(|name| (*name).to_owned()).collect(),
                documents: 1,
                columns: Vec::new(),
                columns_left_out: 0,
            };
            described(&one)
        };
        assert_eq!(
            of("what we pay", &["invoice", "voucher"]),
            "what we pay; also called invoice, voucher"
        );
        assert_eq!(of("", &["invoice"]), "also called invoice");
        assert_eq!(of("what we pay", &[]), "what we pay");
    }
}
