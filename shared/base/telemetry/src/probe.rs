//! A client of the admin endpoints of a process, for health checks where there is no shell and no HTTP client.
//!
//! *Not* here: serving them ([`admin`](crate::admin)), and deciding what is ready ([`health`](crate::health)).

use crate::error::Error;
use reqwest::Client;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// How long an answer is waited for.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(2);

/// The question that a probe asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthProbe {
    /// Whether the runtime runs tasks.
    Live,
    /// Whether the process is ready: every condition is met, and it is not draining.
    Ready,
    /// Whether the process was ready once.
    Startup,
}

/// The answer to a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// Whether the answer is yes.
    pub is_so: bool,
    /// The body of the answer: for [`HealthProbe::Ready`] and [`HealthProbe::Startup`], every condition as JSON.
    pub body: String,
}

impl HealthProbe {
    fn path(self) -> &'static str {
        match self {
            HealthProbe::Live => "/livez",
            HealthProbe::Ready => "/readyz",
            HealthProbe::Startup => "/startupz",
        }
    }

    /// Asks the process that listens at `at`; if `at` stands for all addresses, the loopback address is used.
    ///
    /// # Errors
    /// [`Error::Probe`] when there is no answer within `ANSWER_MAX`.
    pub async fn ask(self, at: SocketAddr) -> Result<ProbeAnswer, Error> {
        let at = reachable(at);
        let failed = |error: reqwest::Error| Error::Probe {
            at,
            reason: error.without_url().to_string(),
        };
        // The client wants one, although nothing is encrypted here. If one is installed already, it stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A proxy of the environment is for the world outside.
        let client = Client::builder().no_proxy().timeout(ANSWER_MAX).build();
        let url = format!("http://{at}{}", self.path());
        let answer = client.map_err(failed)?.get(url).send().await;
        let answer = answer.map_err(failed)?;
        Ok(ProbeAnswer {
            is_so: answer.status().is_success(),
            body: answer.text().await.map_err(failed)?,
        })
    }
}

/// An address that can be asked, of one to listen on.
fn reachable(at: SocketAddr) -> SocketAddr {
    let ip = match at.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, at.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Admin, Health, Readiness, Registry};
    use tokio_util::sync::CancellationToken;

    #[tokio::test]
    async fn a_process_says_how_it_is() {
        let health = Health::new(&["nats"]);
        let stop = CancellationToken::new();
        let anywhere = "0.0.0.0:0".parse().unwrap();
        let admin = Admin::serve(anywhere, health.clone(), Registry::new(), stop.clone());
        let admin = admin.await.unwrap();
        let at = admin.local_addr;
        assert!(HealthProbe::Live.ask(at).await.unwrap().is_so);
        let not_yet = HealthProbe::Ready.ask(at).await.unwrap();
        assert!(
            !not_yet.is_so && not_yet.body.contains("nats"),
            "{not_yet:?}"
        );
        assert!(!HealthProbe::Startup.ask(at).await.unwrap().is_so);
        health.set("nats", Readiness::Ready);
        assert!(HealthProbe::Ready.ask(at).await.unwrap().is_so);
        assert!(HealthProbe::Startup.ask(at).await.unwrap().is_so);
        stop.cancel();
        admin.join().await.unwrap();
        let gone = HealthProbe::Live.ask(at).await;
        assert!(matches!(gone, Err(Error::Probe { .. })), "{gone:?}");
    }

    #[test]
    fn an_address_to_listen_on_is_one_to_ask() {
        for (listens, asked) in [
            ("0.0.0.0:9464", "127.0.0.1:9464"),
            ("[::]:9464", "[::1]:9464"),
            ("10.0.0.7:9464", "10.0.0.7:9464"),
        ] {
            let found = reachable(listens.parse().unwrap());
            assert_eq!(found.to_string(), asked);
        }
    }
}
