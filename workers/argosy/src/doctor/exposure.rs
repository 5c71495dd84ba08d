//! Says what is open: whether the server wants a login, whether parties are kept apart, who can read along on the way, and
//! whether the server tells anybody about itself.
//!
//! It sees what these credentials see. *Not* here: what they may do in particular (`access`), and what a firewall keeps out.

use super::{Checked, Ground, Said};
use bus_nats::{Exposure, NatsBus};
use std::net::IpAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The port at which a server tells about itself, unless it is told otherwise.
const MONITORING: u16 = 8222;
/// How long it may take to do so.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
/// The account of everybody on a server without accounts.
const GLOBAL: &str = "$G";

pub(super) async fn exposure(on: &Ground<'_>) -> Checked {
    let bus = on.bus()?;
    let hosts = bus_nats::hosts(&on.config.nats.url);
    let is_here = hosts.iter().all(|host| is_here(host));
    let seen = bus.exposure().await;
    let tells = match is_here {
        true => None,
        false => monitoring(bus, &hosts).await,
    };
    Ok(judged(is_here, &seen, tells.as_deref()))
}

/// Whether a host is this machine, which nobody else reaches under that name.
fn is_here(host: &str) -> bool {
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

/// The first host that tells about the server without a login.
async fn monitoring(bus: &NatsBus, hosts: &[String]) -> Option<String> {
    let name = bus.facts().name;
    for host in hosts {
        let told = tokio::time::timeout(ANSWERS_WITHIN, told(host)).await;
        if matches!(told, Ok(Ok(text)) if text.contains(&name)) {
            return Some(format!("{host}:{MONITORING}"));
        }
    }
    None
}

async fn told(host: &str) -> std::io::Result<String> {
    const BYTES_MAX: u64 = 16 * 1024;
    let host = host.trim_matches(['[', ']']);
    let mut stream = TcpStream::connect((host, MONITORING)).await?;
    stream.write_all(b"GET /varz HTTP/1.0\r\n\r\n").await?;
    let mut text = Vec::new();
    stream.take(BYTES_MAX).read_to_end(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn judged(is_here: bool, seen: &Exposure, tells: Option<&str>) -> Said {
    let account = seen.account.as_deref();
    let mut said = vec![match (seen.wants_login, is_here) {
        (false, false) => Said::warn(
            "nobody has to log in: whoever reaches the server may ask as any tenant, read and delete everything",
            "give it users: `argosy permissions` prints them, with the rights of each role",
        ),
        (false, true) => Said::ok("nobody has to log in, on this machine alone"),
        (true, _) => Said::ok("a login is needed"),
    }];
    said.push(match (seen.is_encrypted, is_here) {
        (false, false) => Said::warn(
            "connections are not encrypted: questions, answers and passwords can be read on the way",
            "give the server a section `tls`, and its clients `nats.tls_ca`",
        ),
        (false, true) => Said::ok("no TLS, which this machine does not need"),
        (true, _) => Said::ok("connections are encrypted"),
    });
    said.push(Said::ok(match (account, seen.is_limited) {
        (Some(GLOBAL), _) => {
            "all logins share one account: right for one party, and no wall between several".into()
        }
        (Some(account), true) => {
            format!("this login is one of account `{account}`, with limited rights")
        }
        (Some(account), false) => format!("this login may do everything in account `{account}`"),
        (None, _) => "this login may not ask what it may do, so it is limited".into(),
    }));
    if let Some(at) = tells {
        said.push(Said::warn(
            format!("the monitoring port {at} answers without a login"),
            "let the network admit to it only what scales and watches the fleet",
        ));
    }
    Said::together(said)
}

#[cfg(test)]
mod tests {
    use super::super::CheckStatus;
    use super::*;

    fn seen(wants_login: bool, is_encrypted: bool, account: Option<&str>) -> Exposure {
        Exposure {
            wants_login,
            is_encrypted,
            account: account.map(str::to_owned),
            is_limited: account != Some(GLOBAL),
        }
    }

    #[test]
    fn what_is_open_is_said_and_this_machine_is_no_network() {
        let bare = seen(false, false, Some(GLOBAL));
        let here = judged(true, &bare, None);
        assert_eq!(here.verdict, CheckStatus::Ok);
        assert!(here.text.contains("share one account"), "{here:?}");
        let there = judged(false, &bare, None);
        assert_eq!(there.verdict, CheckStatus::Warn);
        assert!(there.fix.as_deref().unwrap().contains("argosy permissions"));
        let full = seen(true, true, Some("ARGOSY"));
        assert_eq!(judged(false, &full, None).verdict, CheckStatus::Ok);
        let watched = judged(false, &full, Some("nats:8222"));
        assert!(watched.text.contains("nats:8222"), "{watched:?}");
        let plain = judged(false, &seen(true, false, None), None);
        assert!(plain.text.contains("not encrypted"), "{plain:?}");
    }

    #[test]
    fn a_name_of_this_machine_is_told_from_others() {
        for host in ["127.0.0.1", "localhost", "[::1]", "127.1.2.3"] {
            assert!(is_here(host), "{host}");
        }
        for host in ["nats", "10.0.0.1", "0.0.0.0", "localhost.example"] {
            assert!(!is_here(host), "{host}");
        }
    }
}
