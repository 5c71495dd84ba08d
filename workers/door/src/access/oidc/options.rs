//! The options of logins by OpenID Connect: the section `door.oidc` of the configuration.

use crate::Scope;
use envelope::TenantId;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use settings::{InvalidOption, TimeSpan};

/// Logins by the tokens of an issuer of OpenID Connect. They are taken where an issuer is named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Address of the issuer, as its tokens name it (claim `iss`): `https`, or `http` on this machine. Default none.
    pub issuer: String,
    /// Whom tokens must be for (claim `aud`): one of these. Default none, so it must be given with the issuer.
    pub audience: Vec<String>,
    /// Clients whose tokens are taken (claim `azp`, or `client_id` where there is none). Default any.
    pub clients: Vec<String>,
    /// The tenant of all of these logins, unless `tenant_claim` is set. Default `default`.
    pub tenant: TenantId,
    /// Claim with the tenant. A token without it is refused. Default none.
    pub tenant_claim: String,
    /// Claim with the groups of readers: a list or a text. A path such as `realm_access.roles` leads into objects. Default
    /// `groups`.
    pub groups_claim: String,
    /// Claim with scopes: `argosy:ask`, `argosy:read`, `argosy:write`, `argosy:operate`, among others, as a list or in a text.
    /// Default `scope`.
    pub scope_claim: String,
    /// Scopes of a token that names none of `argosy:`. Default `ask` and `read`.
    pub scopes: Vec<Scope>,
    /// Claim with a name for logs. Default `sub`.
    pub name_claim: String,
    /// Questions that each of these logins may ask in a minute, at each door. Default any number.
    pub per_minute: Option<u32>,
    /// Tokens of models that the turns of each of these logins may take in an hour, at each door. Default any number.
    pub tokens_per_hour: Option<u64>,
    /// Least time between two requests for the keys of the issuer that tokens of unknown keys bring about, and after one
    /// that failed. Default 10 s.
    pub keys_pause: TimeSpan,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            issuer: String::new(),
            audience: Vec::new(),
            clients: Vec::new(),
            tenant: TenantId::default_tenant(),
            tenant_claim: String::new(),
            groups_claim: "groups".into(),
            scope_claim: "scope".into(),
            scopes: vec![Scope::Ask, Scope::Read],
            name_claim: "sub".into(),
            per_minute: None,
            tokens_per_hour: None,
            keys_pause: TimeSpan::from_secs(10),
        }
    }
}

impl Options {
    /// Whether tokens are taken.
    pub(crate) fn are_on(&self) -> bool {
        !self.issuer.is_empty()
    }

    /// Checks what no single value shows.
    ///
    /// # Errors
    /// An option that is wrong, by name.
    pub fn validate(&self) -> Result<(), InvalidOption> {
        let bad = |text: &str| Err(InvalidOption::new(text));
        if !self.are_on() {
            return Ok(());
        }
        let address = Url::parse(&self.issuer).ok();
        if !address.is_some_and(|url| is_safe(&url) && url.query().is_none()) {
            return bad(
                "`door.oidc.issuer`: want the address of an issuer that begins with https://, or with http:// on this \
                 machine, without a query",
            );
        }
        if self.audience.is_empty() || self.audience.iter().any(String::is_empty) {
            return bad(
                "`door.oidc.audience`: say whom tokens must be for; the issuer puts it into their claim `aud`",
            );
        }
        if self.keys_pause.duration().is_zero() {
            return bad("`door.oidc.keys_pause` is 0: want more");
        }
        if self.per_minute == Some(0) || self.tokens_per_hour == Some(0) {
            return bad("`door.oidc`: `per_minute` and `tokens_per_hour`: want more than 0");
        }
        Ok(())
    }
}

/// Whether nobody on the way can change what is read from this address.
pub(super) fn is_safe(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let is_here = crate::access::is_loopback(host);
    let is_plain =
        url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    is_plain && (url.scheme() == "https" || url.scheme() == "http" && is_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_asked_over_https_or_on_this_machine() {
        let of = |issuer: &str, audience: &[&str]| {
            let options = Options {
                issuer: issuer.into(),
                audience: audience.iter().map(|one| (*one).into()).collect(),
                ..Options::default()
            };
            options.validate().is_ok()
        };
        assert!(of("", &[]));
        for good in [
            "https://id.example/realms/a",
            "http://127.0.0.1:9000",
            "http://localhost/x",
            "http://[::1]:9000",
        ] {
            assert!(of(good, &["argosy"]), "{good}");
        }
        for bad in [
            "http://id.example",
            "http://localhost.example",
            "https://id.example?a=b",
            "https://me:secret@id.example",
            "id.example",
            "file:///etc/passwd",
        ] {
            assert!(!of(bad, &["argosy"]), "{bad}");
        }
        assert!(!of("https://id.example", &[]) && !of("https://id.example", &[""]));
    }
}
