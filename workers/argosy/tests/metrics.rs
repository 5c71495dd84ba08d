//! Tests that docs/metrics.md lists the metrics that the code registers.

use std::path::Path;

/// Set to write the document instead of comparing it.
const WRITE: &str = "ARGOSY_WRITE_DOCS";

#[test]
fn the_document_lists_what_there_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let wanted = argosy::metrics::document().expect("families that go together");
    if settings::sources::variable(WRITE).is_some() {
        std::fs::write(&path, wanted).expect("docs/metrics.md can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines = wanted
        .lines()
        .zip(found.lines().chain(std::iter::repeat("")));
    let differs = lines.find(|(wanted, found)| wanted != found);
    assert!(
        wanted == found,
        "docs/metrics.md is not what the code registers: write it anew with \
         `{WRITE}=1 cargo test -p argosy --test metrics`; the first difference: {differs:#?}"
    );
}
