//! Checked identifiers. Each is a newtype over text that matches `[A-Za-z0-9_-]{1,64}`, because it is also a token of
//! a subject. Other text is refused, so an identifier cannot forge a subject.

use crate::refusal::cut;
use serde::{Deserialize, Serialize};

/// The rule that every identifier keeps, in words for error messages.
pub const ID_RULE: &str = "1 to 64 characters of A-Z a-z 0-9 _ -";
/// Longest identifier, in bytes (they are ASCII).
const ID_BYTES_MAX: usize = 64;

/// A text that breaks [`ID_RULE`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a valid id: want {ID_RULE}")]
pub struct IdError {
    /// What was given, cut to 80 characters.
    pub given: String,
}

fn check(text: &str) -> Result<(), IdError> {
    let good = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    match (1..=ID_BYTES_MAX).contains(&text.len()) && text.bytes().all(good) {
        true => Ok(()),
        false => Err(IdError { given: cut(text) }),
    }
}

/// Declares a newtype over text that a function has checked.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        id!($(#[$doc])* $name, check, IdError);
    };
    ($(#[$doc:meta])* $name:ident, $check:path, $error:ty) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks `text` against [`ID_RULE`](crate::ids::ID_RULE); the name of an edition has a rule of its own.
            pub fn new(text: impl Into<String>) -> Result<Self, $error> {
                let text = text.into();
                $check(&text)?;
                Ok(Self(text))
            }
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;
            fn try_from(text: String) -> Result<Self, $error> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<Self, $error> {
                Self::new(text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use id;

id!(
    /// One question and everything that is done to answer it.
    TurnId
);
id!(
    /// A sequence of turns of one user. Anyone who knows the id may read and continue the conversation.
    ConversationId
);
id!(
    /// The tenant whose documents may be read. Every chunk carries one and every search filters on it.
    TenantId
);
id!(
    /// A part of the corpus: `invoices`, `contracts`, ….
    Bucket
);

impl Bucket {
    /// The bucket of files that lie in no folder, or in one whose name is no bucket.
    pub const GENERIC: &str = "generic";
}
id!(
    /// Somebody who uses a door, by a hash of the name.
    LoginId
);
id!(
    /// One document of the corpus.
    DocId
);
id!(
    /// An endpoint that a door tells of the ends of turns.
    WebhookName
);

impl TurnId {
    /// The id of a question whose publisher chose none. It is derived from the sequence and the time at which the
    /// inbox stored the question, so that a redelivered message gets the same id.
    pub fn derived(inbox_sequence: u64, stored_at_ms: u64) -> Self {
        Self(format!("t{inbox_sequence}-{stored_at_ms:x}"))
    }

    /// The id of a turn that continues another one. It is derived from the step that it continues, so repeating the
    /// operation gives the same id. No other turn can have it, since the inbox counts from 1.
    pub fn again(from: &str) -> Self {
        Self(format!("t0-{:016x}", fnv1a_64(from.as_bytes())))
    }

    /// Whether the id has the form of a derived one. Publishers may not choose such an id, so that only the
    /// publisher of its question can be listening under it.
    pub fn is_derived(&self) -> bool {
        let Some((sequence, stored)) = self
            .0
            .strip_prefix('t')
            .and_then(|rest| rest.split_once('-'))
        else {
            return false;
        };
        let all =
            |text: &str, good: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|b| good(&b));
        all(sequence, u8::is_ascii_digit) && all(stored, u8::is_ascii_hexdigit)
    }
}

impl TenantId {
    /// The tenant of questions and documents that name none.
    pub fn default_tenant() -> Self {
        Self("default".into())
    }
}

/// FNV-1a, 64 bit: it distinguishes two questions and does nothing more (it is not a cryptographic hash).
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_would_change_a_subject() {
        for bad in ["", "a.b", "a*", ">", "a b", "ä", &"x".repeat(65)] {
            assert!(TurnId::new(bad).is_err(), "{bad:?}");
        }
        for good in ["a", "A-_9", &"x".repeat(64)] {
            assert!(TurnId::new(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn derived_ids_are_valid_and_stable() {
        let id = TurnId::derived(u64::MAX, u64::MAX);
        assert!(TurnId::new(id.as_str()).is_ok());
        assert_eq!(TurnId::derived(7, 9), TurnId::derived(7, 9));
        assert!(id.is_derived());
        assert!(TurnId::again("x").is_derived());
        assert_ne!(TurnId::again("x"), TurnId::again("y"));
        for chosen in ["t1", "t-1", "x1-2", "t1-g", "my-question"] {
            assert!(!TurnId::new(chosen).unwrap().is_derived(), "{chosen}");
        }
    }

    #[test]
    fn fnv_matches_a_published_vector() {
        // A vector of the FNV reference (Noll).
        assert_eq!(fnv1a_64(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
