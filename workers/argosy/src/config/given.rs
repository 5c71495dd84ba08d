//! Tells which options are set, and where. An option that is set to its default value is not the same as an option
//! that is not set.

use settings::SettingOrigin;
use std::collections::BTreeMap;

/// The keys that a file, a variable or a flag sets, with the origin in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingOrigins(BTreeMap<String, String>);

impl SettingOrigins {
    /// The options that are not set by the defaults.
    pub fn of(origins: &BTreeMap<String, SettingOrigin>) -> SettingOrigins {
        let given = origins
            .iter()
            .filter(|(_, o)| **o != SettingOrigin::Default);
        SettingOrigins(given.map(|(key, o)| (key.clone(), o.to_string())).collect())
    }

    /// Where this option was set, by itself or with the table that holds it; `None` for a default.
    pub(crate) fn by(&self, key: &str) -> Option<&str> {
        let mut at = Some(key);
        while let Some(key) = at {
            if let Some(origin) = self.0.get(key) {
                return Some(origin);
            }
            at = key.rsplit_once('.').map(|(above, _)| above);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use settings::Sources;

    #[test]
    fn a_wish_is_told_from_a_default() {
        let toml = "[nats]\nurl = \"nats://127.0.0.1:4222\"\n";
        let sources = Sources::new().text("argosy.toml", toml);
        let loaded = settings::load::<Config>(sources).unwrap();
        let given = super::SettingOrigins::of(&loaded.origins);
        assert_eq!(loaded.value.nats, Config::default().nats);
        assert_eq!(given.by("nats.url"), Some("file `argosy.toml`"));
        assert_eq!(given.by("nats.creds"), None);
        assert_eq!(given.by("streams.steps_bytes"), None);
    }
}
