//! What the claims of a token that is good make of it: a login, or the reason for which there is none.

use super::Options;
use crate::access::{Login, Proof, Scope};
use envelope::{Groups, TenantId};
use serde_json::{Map, Value};
use std::time::{Duration, UNIX_EPOCH};

/// What stands before a scope of ours in a token.
pub(crate) const PREFIX: &str = "argosy:";
/// Seconds in which no token of today expires; what is later counts as this.
const LATEST: u64 = 1 << 40;

pub(super) type Claims = Map<String, Value>;

/// The login of these claims, which a signature and the time have been checked of.
pub(super) fn login(options: &Options, claims: &Claims, leeway: Duration) -> Result<Login, String> {
    let subject = text(claims, "sub").ok_or("it has no claim `sub`")?;
    is_of_client(options, claims)?;
    let ends = claims
        .get("exp")
        .and_then(Value::as_f64)
        .unwrap_or_default();
    let ends = Duration::from_secs((ends as u64).min(LATEST)) + leeway;
    Ok(Login {
        // Apart from the names of keys.
        id: format!("{} {subject}", options.issuer),
        name: text(claims, &options.name_claim)
            .unwrap_or(subject)
            .to_owned(),
        tenant: tenant(options, claims)?,
        groups: groups(options, claims)?,
        scopes: scopes(options, claims),
        per_minute: options.per_minute,
        tokens_per_hour: options.tokens_per_hour,
        proof: Proof::Token(UNIX_EPOCH + ends),
    })
}

/// A token may be for several parties; one of another client is not taken for that.
fn is_of_client(options: &Options, claims: &Claims) -> Result<(), String> {
    let client = text(claims, "azp").or_else(|| text(claims, "client_id"));
    let is_named = |client: &str| options.clients.iter().any(|named| named == client);
    match client {
        _ if options.clients.is_empty() => Ok(()),
        Some(client) if is_named(client) => Ok(()),
        Some(_) => Err("its client (claim `azp`) is none of `door.oidc.clients`".into()),
        None => Err("it names no client (claim `azp`), and `door.oidc.clients` wants one".into()),
    }
}

fn tenant(options: &Options, claims: &Claims) -> Result<TenantId, String> {
    let name = options.tenant_claim.as_str();
    if name.is_empty() {
        return Ok(options.tenant.clone());
    }
    let tenant = text(claims, name).ok_or_else(|| format!("it has no tenant (claim `{name}`)"))?;
    TenantId::new(tenant).map_err(|error| format!("claim `{name}`: {error}"))
}

/// The groups. All of them is nothing that a token can say: an issuer may have a group of that name.
fn groups(options: &Options, claims: &Claims) -> Result<Groups, String> {
    let name = options.groups_claim.as_str();
    let bad = |why: String| format!("claim `{name}`: {why}");
    let groups = match find(claims, name) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(all)) => {
            let all: Option<Vec<&str>> = all.iter().map(Value::as_str).collect();
            all.ok_or_else(|| bad("want a list of texts".into()))?
        }
        Some(_) => return Err(bad("want a list of texts, or a text".into())),
    };
    let groups = groups
        .into_iter()
        .filter(|name| *name != envelope::principal::ALL_GROUPS);
    Groups::new(groups).map_err(|error| bad(error.to_string()))
}

/// The scopes of ours that the token has, or those of a token that says nothing of them.
fn scopes(options: &Options, claims: &Claims) -> Vec<Scope> {
    let said: Vec<&str> = match find(claims, &options.scope_claim) {
        Some(Value::String(words)) => words.split_whitespace().collect(),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let ours: Vec<&str> = said
        .iter()
        .filter_map(|word| word.strip_prefix(PREFIX))
        .collect();
    match ours.is_empty() {
        true => options.scopes.clone(),
        false => Scope::ALL
            .into_iter()
            .filter(|scope| ours.contains(&scope.as_str()))
            .collect(),
    }
}

fn text<'a>(claims: &'a Claims, name: &str) -> Option<&'a str> {
    find(claims, name)?.as_str().filter(|text| !text.is_empty())
}

/// A claim of this name, or what a path of names with dots leads to: names may have dots themselves, as addresses do.
fn find<'a>(claims: &'a Claims, name: &str) -> Option<&'a Value> {
    if let Some(value) = claims.get(name) {
        return Some(value);
    }
    let (first, rest) = name.split_once('.')?;
    find(claims.get(first)?.as_object()?, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What these claims make, in short: tenant, groups, scopes.
    fn short(options: &Options, claims: Value) -> Result<String, String> {
        let mut all = json!({"sub": "anna", "exp": 4_102_444_800_u64});
        let map = all.as_object_mut().expect("an object");
        map.extend(claims.as_object().expect("an object").clone());
        let login = login(options, map, Duration::ZERO)?;
        let scopes: Vec<&str> = login.scopes.iter().map(|scope| scope.as_str()).collect();
        Ok(format!(
            "{} [{}] {}",
            login.tenant,
            login.groups,
            scopes.join("+")
        ))
    }

    #[test]
    fn what_claims_make_of_a_login() {
        let usual = Options::default();
        let nested = Options {
            tenant_claim: "https://argosy.example/tenant".into(),
            groups_claim: "realm_access.roles".into(),
            scope_claim: "scp".into(),
            ..Options::default()
        };
        for (options, claims, want) in [
            (&usual, json!({}), Ok("default [] ask+read")),
            (
                &usual,
                json!({"groups": ["law", "hr"]}),
                Ok("default [hr, law] ask+read"),
            ),
            (&usual, json!({"groups": "hr"}), Ok("default [hr] ask+read")),
            (
                &usual,
                json!({"groups": ["*", "hr"]}),
                Ok("default [hr] ask+read"),
            ),
            (&usual, json!({"groups": "*"}), Ok("default [] ask+read")),
            (&usual, json!({"groups": ["hr", 7]}), Err("`groups`")),
            (&usual, json!({"groups": {"hr": true}}), Err("`groups`")),
            (&usual, json!({"groups": [" hr"]}), Err("`groups`")),
            (
                &usual,
                json!({"scope": "openid argosy:write"}),
                Ok("default [] write"),
            ),
            (
                &usual,
                json!({"scope": "openid argosy:all"}),
                Ok("default [] "),
            ),
            (
                &usual,
                json!({"scope": "openid write"}),
                Ok("default [] ask+read"),
            ),
            (&usual, json!({"tenant": "acme"}), Ok("default [] ask+read")),
            (&usual, json!({"sub": ""}), Err("`sub`")),
            (&nested, json!({}), Err("no tenant")),
            (
                &nested,
                json!({"https://argosy.example/tenant": ["a"]}),
                Err("no tenant"),
            ),
            (
                &nested,
                json!({"https://argosy.example/tenant": "a b"}),
                Err("tenant`: "),
            ),
            (
                &nested,
                json!({
                    "https://argosy.example/tenant": "acme",
                    "realm_access": {"roles": ["hr"]},
                    "scp": ["argosy:read"],
                }),
                Ok("acme [hr] read"),
            ),
        ] {
            let made = short(options, claims.clone());
            match want {
                Ok(want) => assert_eq!(made, Ok(want.to_owned()), "{claims}"),
                Err(part) => assert!(
                    made.as_ref().is_err_and(|why| why.contains(part)),
                    "{claims}: {made:?}"
                ),
            }
        }
    }

    #[test]
    fn the_client_of_a_token() {
        let options = Options {
            clients: vec!["chat".into()],
            ..Options::default()
        };
        for (claims, is_taken) in [
            (json!({"azp": "chat"}), true),
            (json!({"client_id": "chat"}), true),
            (json!({"azp": "other", "client_id": "chat"}), false),
            (json!({"azp": ["chat"]}), false),
            (json!({}), false),
        ] {
            assert_eq!(
                short(&options, claims.clone()).is_ok(),
                is_taken,
                "{claims}"
            );
        }
    }
}
