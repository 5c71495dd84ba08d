//! A request on its way in: what chat completions and responses have in common.

use crate::Door;
use crate::access::Login;
use crate::asking::{Followed, turn_of};
use crate::openai::{models, request};
use crate::problem::Problem;
use axum::http::HeaderMap;
use serde_json::{Map, Value};

/// Where a request came in, and of whom.
pub(super) struct Asking<'a> {
    pub(super) door: &'a Door,
    pub(super) login: &'a Login,
    pub(super) headers: &'a HeaderMap,
}

impl Asking<'_> {
    /// Asks what the dialogue in the field `at` ends with. Unless the client names its request, and so may come back for
    /// it, the turn is cancelled when the client goes.
    pub(super) async fn ask(
        &self,
        request: &Map<String, Value>,
        at: &'static str,
    ) -> Result<Followed, Problem> {
        let Asking {
            door,
            login,
            headers,
        } = *self;
        let model = request::model(request)?;
        let dialogue = request::dialogue(request.get(at), at)?;
        let conversation = request::conversation(request)?;
        let fields = models::fields(door, login, model).await?;
        let fields = request::ask(fields, dialogue, conversation, at)?;
        let key = headers.get("idempotency-key");
        let turn = key
            .map(|key| turn_of(login, key.to_str().unwrap_or_default()))
            .transpose()?;
        let is_named = turn.is_some();
        let mut followed = door.ask(login, turn, fields).await?;
        if !is_named {
            followed.cancel_on_drop(door);
        }
        Ok(followed)
    }
}
