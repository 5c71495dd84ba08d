//! Which addresses a webhook may call. Whoever names an endpoint must not reach what only the doors reach.
//!
//! Addresses are allowed by what they are known to be, and everything else is refused. A name is looked up where the
//! connection is made: what was checked is what is connected to, so a name that means another address a moment later gains
//! nothing.

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Addresses at which clouds tell a machine its secrets, besides link-local ones.
const METADATA: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// From where an address is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// From everywhere.
    Public,
    /// From this machine, or its network.
    Private,
    /// No endpoint is there: metadata of clouds, links, groups, addresses for documents.
    Never,
}

/// An address that may not be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is {1}")]
pub(super) struct RefusedAddress(IpAddr, &'static str);

/// The URL of an endpoint that may be called, as far as it says where that is.
pub(super) fn checked(url: &str, allow_private: bool) -> Result<Url, String> {
    let parsed = Url::parse(url).map_err(|error| format!("`url` is no URL: {error}"))?;
    let is_allowed = match parsed.scheme() {
        "https" => true,
        "http" => allow_private,
        _ => false,
    };
    if !is_allowed {
        return Err(
            "`url`: want https://; http:// wants `allow_private` (`--allow-private`)".into(),
        );
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(
            "`url`: want neither user nor password; an event is known by its signature".into(),
        );
    }
    // Every spelling of an IPv4 address, such as 0x7f.1, has been read as one here.
    let host = parsed.host_str().unwrap_or_default();
    let literal = host.trim_matches(['[', ']']).parse::<IpAddr>();
    if let Ok(address) = literal {
        allowed(address, allow_private).map_err(|error| format!("`url`: {error}"))?;
    }
    Ok(parsed)
}

/// Refuses an address that is not reached from everywhere, or with `allow_private` one where no endpoint can be.
fn allowed(address: IpAddr, allow_private: bool) -> Result<(), RefusedAddress> {
    match reach(address) {
        Reach::Public => Ok(()),
        Reach::Private if allow_private => Ok(()),
        Reach::Private => {
            let why = "in a private network or this machine, which wants `allow_private` (`--allow-private`)";
            Err(RefusedAddress(address, why))
        }
        Reach::Never => Err(RefusedAddress(address, "no address of an endpoint")),
    }
}

fn reach(address: IpAddr) -> Reach {
    match address {
        _ if METADATA.contains(&address) => Reach::Never,
        IpAddr::V4(v4) => reach_v4(v4),
        IpAddr::V6(v6) => reach_v6(v6),
    }
}

fn reach_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        [10 | 127, ..] | [172, 16..=31, ..] | [192, 168, ..] => Reach::Private,
        // Carriers and benchmarks.
        [100, 64..=127, ..] | [198, 18 | 19, ..] => Reach::Private,
        // This network, links, protocols, documents, a relay that is gone, groups and what is reserved.
        [0, ..] | [169, 254, ..] | [192, 0, 0 | 2, _] | [192, 88, 99, _] => Reach::Never,
        [198, 51, 100, _] | [203, 0, 113, _] | [224..=255, ..] => Reach::Never,
        _ => Reach::Public,
    }
}

/// An IPv6 address is public within `2000::/3` alone. One that leads to an IPv4 address is what that is.
fn reach_v6(address: Ipv6Addr) -> Reach {
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        reach(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Reach::Private,
        // As IPv4, and through NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            inner(high, low)
        }
        // 6to4.
        [0x2002, high, low, ..] => inner(high, low),
        // Protocols, with Teredo, which hides an IPv4 address; documents.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Reach::Never,
        [0x2000..=0x3fff, ..] => Reach::Public,
        [0xfc00..=0xfdff, ..] => Reach::Private,
        _ => Reach::Never,
    }
}

/// Looks names up for a client, and refuses those with an address that may not be called.
pub(super) struct Guard {
    pub(super) allow_private: bool,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let allow_private = self.allow_private;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            for address in &found {
                allowed(address.ip(), allow_private)?;
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> Reach {
        reach(address.parse().expect("an address"))
    }

    #[test]
    fn private_addresses_are_known_in_every_family() {
        for address in [
            "10.0.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "198.18.0.1",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "64:ff9b::10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "fc00::1",
            "fd12:3456::1",
        ] {
            assert_eq!(of(address), Reach::Private, "{address}");
        }
    }

    #[test]
    fn no_endpoint_is_at_metadata_links_groups_and_reserved_addresses() {
        for address in [
            "169.254.169.254",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.0.192",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "100.100.100.200",
            "::",
            "::ffff:169.254.169.254",
            "::ffff:0.0.0.0",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100::1",
            "5f00::1",
        ] {
            assert_eq!(of(address), Reach::Never, "{address}");
        }
    }

    #[test]
    fn others_are_public() {
        for address in [
            "1.1.1.1",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "100.128.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "2001:200::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ] {
            assert_eq!(of(address), Reach::Public, "{address}");
        }
    }

    #[test]
    fn an_address_in_a_url_is_checked_however_it_is_spelled() {
        let host = |host: &str, allow| checked(&format!("https://{host}/hook"), allow);
        for spelled in [
            "127.0.0.1",
            "127.1",
            "0x7f.0.0.1",
            "0x7f000001",
            "2130706433",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "１２７.0.0.1",
            "%31%32%37.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "10.0.0.1:8443",
            "[fd00::1]:8443",
        ] {
            assert!(host(spelled, false).is_err(), "{spelled}");
            assert!(host(spelled, true).is_ok(), "{spelled}");
        }
        for never in [
            "169.254.169.254",
            "0xa9fea9fe",
            "[::ffff:a9fe:a9fe]",
            "0",
            "[::]",
            "[fd00:ec2::254]",
        ] {
            assert!(host(never, true).is_err(), "{never}");
        }
        assert!(host("hooks.example", false).is_ok() && host("1.1.1.1", false).is_ok());
        for wrong in [
            "http://hooks.example/",
            "ftp://hooks.example/",
            "hooks.example",
            "https://a:b@hooks.example/",
        ] {
            assert!(checked(wrong, false).is_err(), "{wrong}");
        }
        assert!(checked("http://hooks.example/", true).is_ok());
    }

    #[tokio::test]
    async fn a_name_is_refused_for_what_it_means() {
        let found = |allow_private| {
            let name = "localhost".parse().expect("a name");
            Guard { allow_private }.resolve(name)
        };
        let refused = found(false).await.err().expect("refused");
        assert!(refused.is::<RefusedAddress>(), "{refused}");
        let addresses: Vec<_> = found(true).await.expect("addresses").collect();
        assert!(addresses.iter().all(|at| at.ip().is_loopback()) && !addresses.is_empty());
    }
}
