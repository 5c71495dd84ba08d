//! Reads questions back from a `questions.jsonl`.

use crate::error::Error;
use crate::question::GoldQuestion;
use std::fs;
use std::path::Path;

/// The questions of a `questions.jsonl`.
pub fn read_questions(path: &Path) -> Result<Vec<GoldQuestion>, Error> {
    let text = fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
    let mut all = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let bad = |error| Error::BadQuestion {
            path: path.to_owned(),
            line,
            error,
        };
        all.push(serde_json::from_str(text).map_err(bad)?);
    }
    Ok(all)
}
