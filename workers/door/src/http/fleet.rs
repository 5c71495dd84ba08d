//! The state of the fleet over HTTP, for whoever operates it: roles, backlogs, streams, dead letters.
//!
//! It is that of the whole fleet, whatever the tenant of the login. *Not* here: how it is found out (`inspect`).

use crate::Door;
use crate::access::{Login, Scope};
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::time::Duration;

/// How long a look at the fleet may take.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// Why the fleet cannot be looked at, in a sentence.
pub type FleetError = Box<dyn std::error::Error + Send + Sync>;

/// Looks at the fleet. The process that has the door knows how.
pub trait Fleet: Send + Sync {
    /// Its state now, as `argosy status -o json` has it.
    fn status(&self) -> BoxFuture<'_, Result<Value, FleetError>>;
}

/// Says how the fleet is.
pub(crate) async fn status(
    State(door): State<Door>,
    Extension(login): Extension<Login>,
) -> Result<Json<Value>, Problem> {
    login.may(Scope::Operate)?;
    let look = tokio::time::timeout(LOOK_MAX, door.0.setup.fleet.status());
    let away = |detail: String| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "bus_away", detail);
    match look.await {
        Ok(Ok(status)) => Ok(Json(status)),
        Ok(Err(error)) => Err(away(error.to_string())),
        Err(_) => Err(away(format!(
            "the fleet did not answer within {} s",
            LOOK_MAX.as_secs()
        ))),
    }
}
