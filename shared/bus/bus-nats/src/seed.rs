//! The NKey of a login: the seed, which stays with its owner, and the public key, which the server gets.
//!
//! A login with a seed has inboxes of its own, named after its public key, so that the server can keep others from them.

use bus::BusError;
use nkeys::{KeyPair, KeyPairType};
use std::fmt::Display;
use std::path::Path;

/// The seed of a login.
pub struct Seed {
    /// The secret, which begins with `SU`.
    pub secret: String,
    /// The public key, which begins with `U`.
    pub public: String,
}

/// What the inboxes of the login with this public key begin with.
pub fn inbox_of(public: &str) -> String {
    format!("_INBOX.{public}")
}

impl Seed {
    /// A new one, by the operating system's random bits.
    ///
    /// # Errors
    /// When there are none.
    pub fn new() -> Result<Seed, BusError> {
        let pair = KeyPair::new(KeyPairType::User);
        let secret = pair
            .seed()
            .map_err(|error| BusError::Refused(error.to_string()))?;
        let public = pair.public_key();
        Ok(Seed { secret, public })
    }

    /// Reads the seed in a file, which is on a line of its own.
    ///
    /// # Errors
    /// When the file cannot be read, or has no seed of a user.
    pub fn read(path: &Path) -> Result<Seed, BusError> {
        let refused =
            |why: &dyn Display| BusError::Refused(format!("seed `{}`: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| refused(&error))?;
        let mut lines = text.lines().map(str::trim);
        let secret = lines.find(|line| line.starts_with("SU"));
        let secret = secret.ok_or_else(|| refused(&"no line begins with `SU`"))?;
        let pair = KeyPair::from_seed(secret).map_err(|error| refused(&error))?;
        Ok(Seed {
            secret: secret.to_owned(),
            public: pair.public_key(),
        })
    }

    /// What its inboxes begin with.
    pub fn inbox(&self) -> String {
        inbox_of(&self.public)
    }

    /// Whether a text is the public key of a user.
    pub fn is_public(text: &str) -> bool {
        let pair = KeyPair::from_public_key(text);
        pair.is_ok_and(|pair| matches!(pair.key_pair_type(), KeyPairType::User))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_read_back_and_nothing_else_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("gateway.nk");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Seed::read(&file).map(|seed| seed.public)
        };
        let seed = Seed::new().unwrap();
        let text = format!("# of the gateway\n  {}\n", seed.secret);
        assert_eq!(read(&text).unwrap(), seed.public);
        assert!(Seed::is_public(&seed.public) && !Seed::is_public(&seed.secret));
        assert_eq!(seed.inbox(), format!("_INBOX.{}", seed.public));
        for bad in ["", &seed.public, "SUnonsense"] {
            let said = read(bad).unwrap_err().to_string();
            assert!(
                said.contains("gateway.nk") && !said.contains(&seed.secret),
                "{said}"
            );
        }
        assert!(Seed::read(&dir.path().join("none")).is_err());
    }
}
