//! MCP at `/mcp`, and over a pair of streams for `argosy mcp`: the tools `search`, `fetch` and `ask`, and documents as
//! resources.
//!
//! The revisions 2025-06-18, 2025-11-25 and 2026-07-28 are served side by side, each request by itself: nothing is kept
//! for a client, so any door answers any request. `rmcp` knows the messages, which revision wants which headers, and how
//! a client and a server agree on one. *Not* here: prompts, and anything that calls the client back; a question back is a
//! result.
//!
//! | module | what |
//! |---|---|
//! | [`ask`] | a question, its progress, its question back |
//! | [`passages`] | search, and the text behind an id |
//! | [`tasks`] | a question that takes long, as a task |

mod ask;
mod passages;
mod tasks;

use crate::access::Scope;
use crate::problem::Problem;
use crate::{BODY_MAX, Door, Login};
use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Json, Router};
use envelope::TenantId;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, ErrorData, GetTaskParams, GetTaskResult,
    Implementation, ListResourceTemplatesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// The revisions that are served.
const REVISIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
/// The methods with parameters that are served.
const METHODS: [&str; 5] = [
    "initialize",
    "resources/read",
    "tasks/cancel",
    "tasks/get",
    "tools/call",
];
/// The tools, in the order in which they are listed.
const TOOLS: &str = include_str!("mcp/tools.json");
/// How long a client may keep the list of tools, which changes with a release only.
const TOOLS_FRESH_MS: u64 = 3_600_000;
/// What a model is told about all this.
const INSTRUCTIONS: &str = "Argosy answers questions over a corpus of documents. `ask` gives a checked answer with \
                            citations; `search` finds passages, and `fetch` reads a passage or a whole document.";

/// The route.
pub(crate) fn routes(door: &Door) -> Router<Door> {
    let door = door.clone();
    let handler = move || {
        Ok(Handler {
            door: door.clone(),
            login: None,
        })
    };
    // Hosts and origins have been looked at already. A plain request gets plain JSON, one with progress a stream.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_MAX)
        .disable_allowed_hosts();
    let service =
        StreamableHttpService::new(handler, Arc::<NeverSessionManager>::default(), config);
    let serve = move |parts: Parts, body: Bytes| async move {
        match unreadable(&parts, &body) {
            Some(refusal) => refusal,
            None => {
                let request = Request::from_parts(parts, Body::from(body));
                service.handle(request).await.map(Body::new)
            }
        }
    };
    Router::new().route("/mcp", any(serve))
}

/// Refuses a body that is no message, in the words of JSON-RPC; above all a list of messages, which none of the
/// revisions takes.
fn unreadable(parts: &Parts, body: &Bytes) -> Option<Response> {
    if parts.method != axum::http::Method::POST {
        return None;
    }
    let (code, message) = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(_)) => return None,
        Ok(Value::Array(_)) => (-32600, "send one message at a time, not a list"),
        Ok(_) => (-32600, "want a JSON object"),
        Err(_) => (-32700, "the body is not JSON"),
    };
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    Some((StatusCode::BAD_REQUEST, Json(body)).into_response())
}

impl Door {
    /// As [`Door::serve_mcp`], over stdin and stdout.
    ///
    /// # Errors
    /// As [`Door::serve_mcp`].
    pub async fn serve_mcp_stdio(self, tenant: TenantId) -> std::io::Result<()> {
        let (reader, writer) = rmcp::transport::io::stdio_pipes();
        self.serve_mcp(tenant, reader, writer).await
    }

    /// Serves one client of `tenant`, who may do everything, until it closes its end or the token of its [`Setup`](crate::Setup) is
    /// cancelled.
    ///
    /// # Errors
    /// When the client does not begin as MCP wants it.
    pub async fn serve_mcp<R, W>(
        self,
        tenant: TenantId,
        reader: R,
        writer: W,
    ) -> std::io::Result<()>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let stop = self.0.setup.stop.clone();
        let handler = Handler {
            door: self,
            login: Some(Login {
                tenant,
                ..Login::local()
            }),
        };
        let served = async {
            let running = match handler.serve((reader, writer)).await {
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                running => running.map_err(std::io::Error::other)?,
            };
            running.waiting().await.map_err(std::io::Error::other)?;
            Ok(())
        };
        tokio::select! {
            served = served => served,
            () = stop.cancelled() => Ok(()),
        }
    }
}

/// Answers the requests of a client.
struct Handler {
    door: Door,
    /// Who asks, where no HTTP request says so.
    login: Option<Login>,
}

impl Handler {
    fn login(&self, context: &RequestContext<RoleServer>) -> Result<Login, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let of_request = parts.and_then(|parts| parts.extensions.get::<Login>());
        let login = self.login.as_ref().or(of_request).cloned();
        login.ok_or_else(|| ErrorData::internal_error("nobody is logged in", None))
    }

    /// The login of a request about a task.
    fn asker(&self, context: &RequestContext<RoleServer>) -> Result<Login, ErrorData> {
        let login = self.login(context)?;
        login.may(Scope::Ask).map_err(tasks::refused)?;
        Ok(login)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("argosy", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    /// What the library does not know, and known methods whose parameters are none of theirs.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(match METHODS.contains(&method.as_str()) {
            true => {
                let text = format!(
                    "`params` are missing, or none of `{method}`: see the specification of MCP"
                );
                ErrorData::invalid_params(text, None)
            }
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(REVISIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools: Vec<Tool> = serde_json::from_str(TOOLS)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let listed = ListToolsResult::with_all_items(tools);
        Ok(listed
            .with_ttl_ms(TOOLS_FRESH_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let login = self.login(&context)?;
        let given = request.arguments.clone().unwrap_or_default();
        let door = &self.door;
        let done = match &*request.name {
            "search" => passages::search(door, &login, given).await.map(shown),
            "fetch" => passages::fetch(door, &login, given).await.map(shown),
            "ask" => ask::ask(door, &login, request, &context).await,
            unknown => {
                let known = format!("there is no tool `{unknown}`; `tools/list` names them");
                return Err(ErrorData::invalid_params(known, None));
            }
        };
        Ok(done.unwrap_or_else(|problem| failed(problem).into()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(passages::DOCUMENT_TEMPLATE, "document")
            .with_title("Document")
            .with_description("The text of a document of the corpus, by its id.")
            .with_mime_type(passages::TEXT);
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let login = self.login(&context)?;
        let text = passages::resource(&self.door, &login, &request.uri).await;
        let text = text.map_err(|problem| {
            let data = Some(problem.body());
            match problem.status {
                StatusCode::NOT_FOUND => ErrorData::resource_not_found(problem.detail, data),
                _ => ErrorData::internal_error(problem.detail, data),
            }
        })?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(passages::TEXT);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let login = self.asker(&context)?;
        let task = tasks::get(&self.door, &login, request.task_id).await;
        task.map_err(tasks::refused)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let login = self.asker(&context)?;
        let cancelled = tasks::cancel(&self.door, &login, request.task_id).await;
        cancelled.map_err(tasks::refused)
    }
}

/// The arguments of a tool.
fn arguments<T: DeserializeOwned>(given: Map<String, Value>) -> Result<T, Problem> {
    serde_json::from_value(Value::Object(given))
        .map_err(|error| Problem::bad(format!("the arguments of this tool: {error}")))
}

/// A result that is data, with the same as text for models and for clients that know no structured content.
fn shown(data: Value) -> CallToolResponse {
    CallToolResult::structured(data).into()
}

/// The result of a tool that failed, so that a model can read why; programs find the code beside it.
fn failed(problem: Problem) -> CallToolResult {
    let text = format!("{}: {}", problem.code, problem.detail);
    let mut meta = MetaObject::new();
    meta.insert("argosy/problem".into(), problem.body());
    CallToolResult::error(vec![ContentBlock::text(text)]).with_meta(Some(meta))
}
