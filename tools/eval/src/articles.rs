//! Writes the documents of a data set as files, so that a fleet indexes them like any folder.

use crate::Error;
use documents::Document;
use serde_json::Value;
use std::path::Path;

/// Writes each document into a Markdown file of `folder`, its metadata as front matter.
pub(super) fn write(documents: &[Document], folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder)?;
    for document in documents {
        let path = folder.join(file_name(&document.source));
        std::fs::write(&path, markdown(document)).map_err(|error| Error::File { path, error })?;
    }
    Ok(())
}

/// The name of the file of a document, and so its source in the corpus.
pub(super) fn file_name(source: &str) -> String {
    let path = Path::new(source).with_extension("md");
    path.to_string_lossy().into_owned()
}

fn markdown(document: &Document) -> String {
    let mut text = format!("---\ntitle: {}\n", quoted(&document.title));
    for (name, value) in &document.metadata {
        let value = value.as_str().map_or_else(|| value.to_string(), quoted);
        text.push_str(&format!("{name}: {value}\n"));
    }
    text.push_str("---\n");
    for line in &document.lines {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

/// As a field of front matter takes it; quoted, it stays a text.
fn quoted(text: &str) -> String {
    Value::from(text::one_line(text)).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::dataset::document;
    use super::*;
    use envelope::TenantId;

    #[test]
    fn a_document_comes_back_as_it_was() {
        let metadata = [("publisher", "The Gazette"), ("published_at", "2023-11-27")];
        let metadata = metadata.map(|(name, value)| (name.to_owned(), Value::from(value)));
        let written = document(
            "u",
            "A title: with a colon",
            "One fact\nhere.",
            metadata.into(),
        );
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus");
        write(std::slice::from_ref(&written), &corpus).unwrap();
        let mut read = documents::corpus::walk(&corpus, &TenantId::default_tenant());
        let read = read.next().unwrap().1.unwrap();
        assert_eq!(
            (&read.title, &read.metadata),
            (&written.title, &written.metadata)
        );
        let text = |one: &Document| one.lines.iter().map(|l| l.text.clone()).collect::<Vec<_>>();
        assert_eq!(text(&read), text(&written));
    }
}
