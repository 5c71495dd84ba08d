//! `argosy mcp`: speaks MCP over stdin and stdout with the program that started it, until that closes stdin or a signal
//! stops it. Stdout is for the protocol alone.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::command::place::{self, Folder, Place};
use crate::command::serve;
use crate::config::Config;
use crate::signal;
use bus::Bus;
use door::{Door, Logins};
use envelope::TenantId;
use std::sync::Arc;
use telemetry::Registry;
use tokio_util::sync::CancellationToken;

/// Speaks MCP until the client has gone.
pub async fn run(args: cli::McpArgs, config: Config, output: Output) -> Result<(), CliError> {
    let is_remote = args.server.is_named(&config)? && args.corpus.is_none();
    let tenant = place::tenant(is_remote, &args.tenant)?;
    let folder = Folder {
        corpus: args.corpus,
        reuse: args.reuse,
        force: false,
    };
    let stop = CancellationToken::new();
    let mut served = Ok(());
    signal::stop_on_signal(&stop, async {
        served = Box::pin(talk(is_remote, folder, tenant, &config, &stop, output)).await;
    })
    .await;
    if stop.is_cancelled() {
        // A read of stdin that waits cannot be taken back, and the runtime would wait for it.
        std::process::exit(served.is_err().into());
    }
    served
}

async fn talk(
    is_remote: bool,
    folder: Folder,
    tenant: TenantId,
    config: &Config,
    stop: &CancellationToken,
    output: Output,
) -> Result<(), CliError> {
    // Told to stop while it indexes: what is indexed so far is kept.
    let mut place = tokio::select! {
        place = Place::open(is_remote, folder, config, output) => place?,
        () = stop.cancelled() => return Ok(()),
    };
    let bus: Arc<dyn Bus> = match &mut place {
        Place::Fleet(bus) => bus.clone(),
        Place::Here(local) => {
            local.keep_conversations(stop.clone()).await?;
            local.bus.clone()
        }
    };
    let registry = Registry::new();
    let setup = serve::setup(bus, config, Logins::open(), &registry, stop)?;
    let served = Door::new(setup).serve_mcp_stdio(tenant).await;
    place.close().await;
    Ok(served?)
}
