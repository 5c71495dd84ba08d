//! Finds the files that steps of a turn have stored, by the keys in the messages of the turn.
//!
//! A file is stored before the message that names it is published. A file that no message names was left by a step
//! that was given up; the store deletes it when it expires. *Not* here: storing files.

use envelope::TurnId;
use std::collections::BTreeSet;

/// Most bytes of a key; longer ones are none.
const KEY_BYTES_MAX: usize = envelope::limits::OBJECT_NAME_BYTES_MAX;

/// Adds the keys of a turn's files that a message names. It is looked through as it is: a message that cannot be read may
/// name files, too.
pub(crate) fn named(body: &[u8], turn: &TurnId, keys: &mut BTreeSet<String>) {
    let text = String::from_utf8_lossy(body);
    let start = format!("\"turn.{turn}.");
    for (at, _) in text.match_indices(&start) {
        let rest = &text[at + 1..];
        let key = rest.find('"').map(|end| &rest[..end]);
        keys.extend(
            key.filter(|key| key.len() <= KEY_BYTES_MAX)
                .map(str::to_owned),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_this_turn_alone_are_found() {
        let turn = TurnId::new("t1").unwrap();
        let mut keys = BTreeSet::new();
        let body = br#"{"file":{"key":"turn.t1.3.00ff.table.csv","name":"table.csv"},"text":"see turn.t1.9.x","other":"turn.t11.3.00ff.table.csv","cut":"turn.t1.4"#;
        named(body, &turn, &mut keys);
        assert_eq!(Vec::from_iter(keys), ["turn.t1.3.00ff.table.csv"]);
    }
}
