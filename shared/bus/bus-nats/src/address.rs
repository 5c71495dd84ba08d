//! Parses the configured server addresses: URLs separated by commas, each with an optional user and password, or a
//! token.
//!
//! This is *not* a full URL parser; the client has one. The client ignores what a URL has before the `@`, so this
//! module takes that part off and uses it as credentials, which are never shown.

use percent_encoding::percent_decode_str;

/// Where the servers are, without user, password or token.
pub(super) fn servers(urls: &str) -> Vec<String> {
    let bare = |url: &String| {
        let (scheme, login, host) = parts(url);
        match login {
            None => url.clone(),
            Some(_) => format!("{scheme}{host}"),
        }
    };
    each(urls).iter().map(bare).collect()
}

/// The hosts of the servers, without their ports.
pub fn hosts(urls: &str) -> Vec<String> {
    let host = |url: &String| {
        let (_, _, host) = parts(url);
        let host = host.trim_end_matches('/');
        let bare = match host.rsplit_once(':') {
            Some((bare, port)) if port.parse::<u16>().is_ok() => bare,
            _ => host,
        };
        bare.to_owned()
    };
    each(urls).iter().map(host).collect()
}

/// User and password, or a token alone, as the first URL that has any names them. Signs that mean
/// something in a URL may be written as `%40`.
pub(super) fn credentials(urls: &str) -> Option<(String, Option<String>)> {
    let urls = each(urls);
    let login = urls.iter().find_map(|url| parts(url).1)?;
    Some(match login.split_once(':') {
        Some((user, password)) => (decoded(user), Some(decoded(password))),
        None => (decoded(login), None),
    })
}

/// The URLs as they may be shown: without user, password or token.
pub fn without_secrets(urls: &str) -> String {
    let shown = |url: &String| match parts(url) {
        (_, None, _) => url.clone(),
        (scheme, Some(_), host) => format!("{scheme}***@{host}"),
    };
    let all: Vec<String> = each(urls).iter().map(shown).collect();
    all.join(",")
}

/// One URL each. A comma parts them, unless what stands before it is no address: then it belongs to a
/// password that goes on behind it.
fn each(urls: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut begun = String::new();
    for piece in urls.split(',').filter(|piece| !piece.trim().is_empty()) {
        let is_first = begun.is_empty();
        begun.push_str(piece);
        if begun.contains('@') || (is_first && is_address(piece.trim())) {
            all.push(begun.trim().to_owned());
            begun.clear();
        } else {
            begun.push(',');
        }
    }
    if !begun.is_empty() {
        all.push(begun.trim_end_matches(',').trim().to_owned());
    }
    all
}

/// Whether this can be a host, and a port where there is one.
fn is_address(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    let host = host.trim_end_matches('/');
    match host.rsplit_once(':') {
        None => true,
        Some((_, port)) => host.ends_with(']') || port.parse::<u16>().is_ok(),
    }
}

/// The scheme with its slashes, the credentials, and the rest. A password may contain an `@`, a host may not.
fn parts(url: &str) -> (&str, Option<&str>, &str) {
    let at = url.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at(at);
    match rest.rsplit_once('@') {
        Some((login, host)) => (scheme, Some(login), host),
        None => (scheme, None, rest),
    }
}

/// Decodes percent-encoded characters such as `%40`. A percent sign without two hexadecimal digits after it stays.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(user: &str, password: &str) -> Option<(String, Option<String>)> {
        Some((user.to_owned(), Some(password.to_owned())))
    }

    #[test]
    fn credentials_in_a_url_are_used() {
        let of = credentials;
        assert_eq!(of("nats://a:4222,nats://b:4222"), None);
        assert_eq!(of("nats://ann:s3:cret@a:4222"), pair("ann", "s3:cret"));
        assert_eq!(of("nats://a:4222, nats://ann:x@b"), pair("ann", "x"));
        assert_eq!(of("t0ken@c"), Some(("t0ken".into(), None)));
    }

    #[test]
    fn signs_of_a_url_may_be_encoded_in_a_password() {
        let of = credentials;
        assert_eq!(of("nats://ann:p%40ss%2c%25@h"), pair("ann", "p@ss,%"));
        assert_eq!(of("nats://a%3Ab:x@h"), pair("a:b", "x"));
        assert_eq!(of("nats://t%c3%b6ken@h"), Some(("töken".into(), None)));
        assert_eq!(of("nats://ann:100%@h"), pair("ann", "100%"));
        assert_eq!(of("nats://ann:5%zz@h"), pair("ann", "5%zz"));
    }

    #[test]
    fn a_comma_in_a_password_parts_nothing() {
        let urls = "nats://ann:p,w@a:4222, nats://b:4222";
        assert_eq!(credentials(urls), pair("ann", "p,w"));
        assert_eq!(servers(urls), ["nats://a:4222", "nats://b:4222"]);
        assert_eq!(without_secrets(urls), "nats://***@a:4222,nats://b:4222");
        let urls = "[::1],nats://[::1]:4222,a,ann:p@w@b";
        assert_eq!(servers(urls), ["[::1]", "nats://[::1]:4222", "a", "b"]);
        assert_eq!(credentials(urls), pair("ann", "p@w"));
        assert_eq!(servers("nats://a:4222, "), ["nats://a:4222"]);
        // No address, and no password either: for the client to refuse.
        assert_eq!(servers("nats://a:port,b"), ["nats://a:port,b"]);
    }

    #[test]
    fn a_url_is_shown_without_its_password() {
        let shown = without_secrets("nats://ann:s3cret@a:4222,b:4222,t0ken@c");
        assert_eq!(shown, "nats://***@a:4222,b:4222,***@c");
    }
}
