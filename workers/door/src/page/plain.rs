//! The page without scripts, at `/plain`: a form that waits for its answer, and everything else as pages made here.
//!
//! It is one path, told apart by its query, so that its links work behind any prefix. A browser sends no header of ours with
//! a form, so the key of a login is in a cookie, which this path alone gets and takes. Only POST does anything, and only
//! from a page of this door: a form elsewhere is refused whatever `door.origins` says. *Not* here: markup, which is in
//! [`markup`], and the stream. A page waits for its answer only so long that whoever sees it can still stop the question.

use super::respond_with;
use super::{documents, markup};
use crate::Door;
use crate::access::{Login, Scope, has_file, host_of, is_own, waiting};
use crate::asking::{Followed, answered, turn_named};
use crate::http::{Segments, conversations, corpus, turns};
use crate::problem::Problem;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Extension, Form, FromRequest, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use envelope::limits::DOCUMENT_BYTES_MAX;
use envelope::lookup::SearchReply;
use envelope::{Citation, Outcome, Passage, Terminal, TurnId, subject};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;
use streams::client;
use tokio::time::Instant;

/// The cookie with the key.
const COOKIE: &str = "argosy-key";
/// So many conversations are linked to.
const TALKS_MAX: usize = 8;
/// How long a page waits for what it shows, at most `door.wait`; then it says that it is not there yet.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a form beside its document.
const FORM_MAX: usize = 64 * 1024;
/// What these pages may load and do: no script at all.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

/// Which page is wanted; without any of these, the first one.
#[derive(Default, Deserialize)]
struct Wanted {
    turn: Option<String>,
    /// The number of a citation of `turn`.
    citation: Option<u16>,
    conversation: Option<String>,
    /// Words to search for.
    query: Option<String>,
    /// A list of documents, behind this number.
    documents: Option<u64>,
    /// What has become of the document at this path.
    document: Option<String>,
    /// Whether this document is to be deleted.
    delete: Option<String>,
    /// Whether this conversation is to be erased.
    erase: Option<String>,
}

/// What a form without a document sends: a question, or what to stop, erase or delete, or a key to log in with; an empty key
/// logs out.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Sent {
    question: Option<String>,
    conversation: Option<String>,
    /// The turn whose question back this answers.
    reply_to: Option<String>,
    /// A turn.
    stop: Option<String>,
    /// A conversation.
    erase: Option<String>,
    /// A document.
    delete: Option<String>,
    key: Option<String>,
}

pub(super) fn routes() -> Router<Door> {
    let most = DefaultBodyLimit::max(DOCUMENT_BYTES_MAX as usize + FORM_MAX);
    Router::new().route("/plain", get(show).post(take).layer(most))
}

async fn show(
    State(door): State<Door>,
    headers: HeaderMap,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Response {
    let made = async {
        let Query(wanted) = wanted?;
        let login = login_of(&door, &headers).await?;
        let body = waiting(&door, &login, door.body(&login, wanted)).await??;
        Ok(html! { (door.side(&login).await) main #main { section.view { (body) } } })
    };
    page(made.await)
}

async fn take(State(door): State<Door>, request: Request) -> Response {
    let (uri, headers) = (request.uri().clone(), request.headers().clone());
    let done = async {
        must_be_own(&headers, &uri)?;
        if has_file(&headers) {
            let login = login_of(&door, &headers).await?;
            let sent = documents::upload(&door, &login, request);
            return Ok(see(&waiting(&door, &login, sent).await??));
        }
        let sent = Form::<Sent>::from_request(request, &door).await;
        let Form(sent) = sent.map_err(|wrong| Problem::bad(wrong.body_text()))?;
        if let Some(key) = &sent.key {
            return door.log_in(&headers, key.trim()).await;
        }
        let login = login_of(&door, &headers).await?;
        Ok(see(&waiting(&door, &login, door.done(&login, sent)).await??))
    };
    done.await.unwrap_or_else(|problem| page(Err(problem)))
}

/// A page, or why there is none, with which whoever is not logged in can do so.
fn page(made: Result<Markup, Problem>) -> Response {
    let (body, problem) = match made {
        Ok(body) => (body, None),
        Err(problem) => (
            html! { main #main { section.view { (markup::refused(&problem)) } } },
            Some(problem),
        ),
    };
    let status = problem
        .as_ref()
        .map_or(StatusCode::OK, |problem| problem.status);
    let mut response = (status, markup::frame(&body).into_string()).into_response();
    // By its code it is counted.
    if let Some(problem) = problem {
        response.extensions_mut().insert(problem);
    }
    // With `no-referrer`, as the other pages have it, a browser would say of our own forms that they come from nowhere.
    respond_with(
        &mut response,
        "text/html; charset=utf-8",
        "no-store",
        POLICY,
        "same-origin",
    );
    response
}

/// Sends the browser on, so that a page which is loaded again does not ask again.
fn see(query: &str) -> Response {
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, format!("plain{query}"))],
    )
        .into_response()
}

/// A browser says of each form which page sent it.
fn must_be_own(headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
    let host = host_of(headers, uri);
    let is_own = headers
        .get(header::ORIGIN)
        .is_some_and(|origin| is_own(origin, host));
    match is_own {
        true => Ok(()),
        false => {
            let detail = "only forms of this page are taken; programs ask at /api/turns";
            Err(Problem::new(
                StatusCode::FORBIDDEN,
                "foreign_origin",
                detail,
            ))
        }
    }
}

async fn login_of(door: &Door, headers: &HeaderMap) -> Result<Login, Problem> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut cookies = cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='));
    let key = cookies.find_map(|(name, key)| (name == COOKIE).then_some(key));
    door.0.setup.logins.of(key).await
}

impl Door {
    /// Takes a key into the cookie.
    async fn log_in(&self, headers: &HeaderMap, key: &str) -> Result<Response, Problem> {
        if !key.is_empty() {
            self.0.setup.logins.of(Some(key)).await?;
        }
        let path = &self.0.setup.options.prefix;
        let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
        let secure = match origin.is_some_and(|origin| origin.starts_with(b"https:")) {
            true => "; Secure",
            false => "",
        };
        let age = if key.is_empty() { "; Max-Age=0" } else { "" };
        let cookie =
            format!("{COOKIE}={key}; Path={path}/plain; HttpOnly; SameSite=Strict{secure}{age}");
        // Not everything that a file of keys can hold may stand in a header.
        let cookie = HeaderValue::try_from(cookie)
            .map_err(|_| Problem::bad("this key cannot be kept in a cookie"))?;
        let mut response = see("");
        response.headers_mut().insert(header::SET_COOKIE, cookie);
        Ok(response)
    }

    /// Does what a form says. Returns the query of the page that shows what came of it.
    async fn done(&self, login: &Login, sent: Sent) -> Result<String, Problem> {
        let (door, of) = (State(self.clone()), Extension(login.clone()));
        if let Some(turn) = sent.stop {
            turns::cancel(door, of, Segments(turn.clone())).await?;
            return Ok(format!("?turn={turn}"));
        }
        if let Some(conversation) = sent.erase {
            conversations::erase(door, of, Segments(conversation)).await?;
            return Ok(String::new());
        }
        if let Some(source) = sent.delete {
            return documents::delete(self, login, source).await;
        }
        Ok(format!("?turn={}", self.asked(login, sent).await?))
    }

    /// Asks, and waits a while for the end of the turn.
    async fn asked(&self, login: &Login, sent: Sent) -> Result<TurnId, Problem> {
        login.may(Scope::Ask)?;
        let filled = |field: Option<String>| field.filter(|text| !text.is_empty());
        let old = filled(sent.conversation);
        let mut fields = Map::from_iter([
            (
                "question".to_owned(),
                sent.question.unwrap_or_default().into(),
            ),
            ("stream".to_owned(), false.into()),
        ]);
        if let Some(turn) = filled(sent.reply_to) {
            fields.insert("reply_to_clarification".into(), turn.into());
        }
        let new = client::new_conversation()?.as_str().to_owned();
        fields.insert("conversation".into(), old.clone().unwrap_or(new).into());
        let asked = self.waited(login, fields.clone()).await?;
        let refused = asked.1.as_ref().and_then(|ended| ended.error.as_ref());
        let takes_none = old.is_none() && refused.is_some_and(|why| why.code == "unsupported");
        let (turn, ended) = match takes_none {
            false => asked,
            // This fleet has no conversations: each question stands alone.
            true => {
                fields.remove("conversation");
                self.waited(login, fields).await?
            }
        };
        // A refused question has no turn that could be shown.
        match ended.filter(|ended| ended.outcome == Outcome::Refused) {
            Some(refused) => answered(refused).map(|ended| ended.turn),
            None => Ok(turn),
        }
    }

    async fn waited(
        &self,
        login: &Login,
        fields: Map<String, Value>,
    ) -> Result<(TurnId, Option<Terminal>), Problem> {
        let mut followed = self.ask(login, None, fields).await?;
        let turn = followed.events.turn().clone();
        let until = Instant::now() + self.0.setup.options.wait.duration();
        loop {
            let ended = self.end_of(&mut followed).await;
            let is_over = ended.is_some() || self.0.setup.stop.is_cancelled();
            // What waits in front of the fleet has no turn yet that could be shown or stopped.
            if is_over || Instant::now() >= until || self.owned(login, &turn).await.is_ok() {
                return Ok((turn, ended));
            }
        }
    }

    /// Waits for the end of a turn, though not long.
    async fn end_of(&self, followed: &mut Followed) -> Option<Terminal> {
        tokio::select! {
            ended = followed.end(self.patience()) => ended,
            // Another door knows of the turn as well.
            () = self.0.setup.stop.cancelled() => None,
        }
    }

    pub(super) fn patience(&self) -> Duration {
        PATIENCE.min(self.0.setup.options.wait.duration())
    }

    async fn body(&self, login: &Login, wanted: Wanted) -> Result<Markup, Problem> {
        if let (Some(turn), Some(n)) = (&wanted.turn, wanted.citation) {
            return self.passage(login, turn, n).await;
        }
        if let Some(turn) = wanted.turn {
            return self.turn(login, turn).await;
        }
        if let Some(conversation) = wanted.conversation {
            let kept = self.kept(login, &conversation).await?;
            return Ok(html! {
                h1 { "Conversation" }
                @for turn in &kept { (markup::kept(turn)) }
                (markup::composer(Some(&conversation), None))
                @if login.may(Scope::Write).is_ok() { p { a href={ "./plain?erase=" (conversation) } { "Erase this conversation" } } }
            });
        }
        if let Some(id) = wanted.erase {
            login.may(Scope::Write)?;
            let kept = self.kept(login, &id).await?;
            let first = kept.first().and_then(|had| had["question"].as_str());
            let (title, back) = (
                "Erase this conversation",
                format!("./plain?conversation={id}"),
            );
            return Ok(markup::sure(
                title,
                first.unwrap_or_default(),
                ("erase", &id),
                &back,
            ));
        }
        if let Some(after) = wanted.documents {
            return documents::list(self, login, after).await;
        }
        if let Some(source) = wanted.document {
            return documents::state(self, login, source).await;
        }
        if let Some(source) = wanted.delete {
            return documents::sure(self, login, source).await;
        }
        if let Some(query) = wanted.query {
            if query.trim().is_empty() {
                return Ok(markup::searcher(""));
            }
            let Value::Object(request) = json!({ "query": query }) else {
                return Err(Problem::bad("want words to search for"));
            };
            let found = self.look_up(login, subject::SEARCH, request).await?;
            let found: SearchReply = read(found)?;
            return Ok(markup::found(&query, &found));
        }
        Ok(markup::start())
    }

    /// A turn that was asked, with its question where the conversation has it.
    async fn turn(&self, login: &Login, turn: String) -> Result<Markup, Problem> {
        login.may(Scope::Ask)?;
        let id = turn_named(turn)?;
        let mut ended = self.ended(login, &id).await?;
        if ended.is_none() {
            ended = match self.resume(login, id.clone(), 0).await {
                Ok(mut followed) => self.end_of(&mut followed).await,
                // It can be stopped without a place to wait in.
                Err(problem) if problem.may_pass() => None,
                Err(problem) => return Err(problem),
            };
        }
        let Some(ended) = ended else {
            return Ok(markup::running(&id));
        };
        let kept = match &ended.conversation {
            Some(of) => self.kept(login, of.as_str()).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let asked = kept.iter().find(|had| had["turn"] == id.as_str());
        let asked = asked.and_then(|had| had["question"].as_str());
        let conversation = ended.conversation.as_ref().map(|of| of.as_str());
        let back = ended.clarification.as_ref().map(|back| back.id.as_str());
        Ok(html! {
            h1.hidden { "Ask your documents" }
            article.turn {
                h2.question { (asked.unwrap_or("An answer given earlier")) }
                (markup::ended(&ended))
            }
            (markup::composer(conversation, back))
        })
    }

    /// The turns that a conversation keeps.
    async fn kept(&self, login: &Login, conversation: &str) -> Result<Vec<Value>, Problem> {
        let (door, login) = (State(self.clone()), Extension(login.clone()));
        let id = Segments(conversation.to_owned());
        let Json(mut read) = conversations::read(door, login, id).await?;
        match read["turns"].take() {
            Value::Array(turns) => Ok(turns),
            _ => Ok(Vec::new()),
        }
    }

    async fn passage(&self, login: &Login, turn: &str, n: u16) -> Result<Markup, Problem> {
        let (door, login) = (State(self.clone()), Extension(login.clone()));
        let Json(mut found) = corpus::citation(door, login, Segments((turn.to_owned(), n))).await?;
        let citation: Citation = read(found["citation"].take())?;
        let passage: Option<Passage> = read(found["passage"].take())?;
        // A link outside this path takes no login along.
        let setup = &self.0.setup;
        let file = found["file"]
            .as_str()
            .filter(|_| !setup.logins.are_wanted());
        let file = file.and_then(|at| at.strip_prefix(setup.options.prefix.as_str()));
        Ok(markup::passage(turn, &citation, passage.as_ref(), file))
    }

    /// What stands beside each page: the way to a new question, to a search, and to conversations where the login may list them.
    async fn side(&self, login: &Login) -> Markup {
        let list = conversations::list(State(self.clone()), Extension(login.clone())).await;
        let ids = list.map(|Json(mut list)| match list["conversations"].take() {
            Value::Array(all) => all,
            _ => Vec::new(),
        });
        let mut talks = Vec::new();
        for talk in ids.unwrap_or_default().iter().take(TALKS_MAX) {
            let Some(id) = talk["conversation"].as_str() else {
                continue;
            };
            let kept = self.kept(login, id).await.unwrap_or_default();
            let first = kept.first().and_then(|had| had["question"].as_str());
            talks.push((id.to_owned(), first.unwrap_or("Conversation").to_owned()));
        }
        let may_read = login.may(Scope::Read).is_ok();
        markup::side(&talks, may_read, self.0.setup.logins.are_wanted())
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, Problem> {
    serde_json::from_value(value).map_err(|error| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Problem::new(status, "internal", error.to_string())
    })
}
