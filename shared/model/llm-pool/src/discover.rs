//! Looks for a model server on the usual ports of this machine. *Not* a way to find nodes of a fleet; those are
//! configured.

use crate::constants::{BODY_BYTES_MAX, DISCOVER_TIMEOUT};
use crate::error::Error;
use crate::http;
use futures_util::future::join_all;
use reqwest::Client;
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;
use tokio::time::timeout;

/// A place where a model may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The server that usually listens there, for people.
    pub server: Cow<'static, str>,
    /// `http://host:port`.
    pub base_url: Cow<'static, str>,
}

impl Candidate {
    const fn local(server: &'static str, base_url: &'static str) -> Self {
        Candidate {
            server: Cow::Borrowed(server),
            base_url: Cow::Borrowed(base_url),
        }
    }
}

/// The usual places, in the order in which they are preferred.
pub const LOCAL: [Candidate; 6] = [
    Candidate::local("Ollama", "http://127.0.0.1:11434"),
    Candidate::local("vLLM", "http://127.0.0.1:8000"),
    Candidate::local("llama.cpp", "http://127.0.0.1:8080"),
    // Its servers announce this port as the default of a later release.
    Candidate::local("llama.cpp", "http://127.0.0.1:9931"),
    Candidate::local("LM Studio", "http://127.0.0.1:1234"),
    Candidate::local("SGLang", "http://127.0.0.1:30000"),
];

/// A server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveredServer {
    /// The usual server of that address; another server may be listening there.
    pub server: String,
    /// Where it listens.
    pub base_url: String,
    /// The models that it serves, in its order; at least one.
    pub models: Vec<String>,
}

/// Asks all `candidates` at once for their models, 300 ms each, and returns those that answer like
/// an OpenAI-compatible server, in the order of `candidates`. Silence and other answers are no
/// error: they are simply not found.
///
/// # Errors
/// [`Error::Client`] when no HTTP client can be set up.
pub async fn local(candidates: &[Candidate]) -> Result<Vec<DiscoveredServer>, Error> {
    let client = http::client(DISCOVER_TIMEOUT, None).map_err(Error::Client)?;
    let asked = candidates
        .iter()
        .map(|candidate| ask(&client, candidate, DISCOVER_TIMEOUT));
    Ok(join_all(asked).await.into_iter().flatten().collect())
}

async fn ask(client: &Client, candidate: &Candidate, limit: Duration) -> Option<DiscoveredServer> {
    let url = http::endpoint(&candidate.base_url, "models").ok()?;
    let answer = async {
        let response = client.get(url).send().await.ok()?;
        if response.status() != 200 {
            return None;
        }
        http::body(response, limit, BODY_BYTES_MAX).await.ok()
    };
    let body = timeout(limit, answer).await.ok()??;
    Some(DiscoveredServer {
        server: candidate.server.to_string(),
        base_url: candidate.base_url.to_string(),
        models: models(&body)?,
    })
}

/// The ids of an OpenAI list of models: an object with a list `data` of objects with a text `id`.
/// Anything else, and an empty list, is none. A door of a fleet has such a list, too, and is no model: it would ask itself.
fn models(body: &[u8]) -> Option<Vec<String>> {
    let json: Value = serde_json::from_slice(body).ok()?;
    let models = json.get("data")?.as_array()?.iter();
    let models = models.filter(|model| model["owned_by"] != "argosy");
    let ids = models.map(|model| Some(model.get("id")?.as_str()?.to_owned()));
    let ids = ids.collect::<Option<Vec<_>>>()?;
    (!ids.is_empty()).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn knows_a_list_of_models_from_anything_else() {
        let found = models(br#"{"object":"list","data":[{"id":"a","object":"model"},{"id":"b"}]}"#);
        assert_eq!(found, Some(vec!["a".into(), "b".into()]));
        for other in [
            "",
            "<html>",
            "[]",
            r#"{"data":[]}"#,
            r#"{"data":{"id":"a"}}"#,
            r#"{"data":[{"id":1}]}"#,
            r#"{"data":[{"id":"a"},{}]}"#,
            r#"{"models":[{"name":"a"}]}"#,
            r#"{"data":[{"id":"argosy","owned_by":"argosy"}]}"#,
        ] {
            assert_eq!(models(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_usual_places_can_be_asked() {
        for place in LOCAL {
            assert!(
                http::endpoint(&place.base_url, "models").is_ok(),
                "{place:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_model_list_of_any_bytes_does_not_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = models(&body);
        }
    }
}
