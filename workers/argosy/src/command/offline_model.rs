//! `argosy offline-model`: serves the offline reader over HTTP until a signal stops it.

use crate::cli::{self, Output};
use crate::cli_error::CliError;
use crate::model::OFFLINE;
use crate::offline_model::serve;
use crate::out::println;
use crate::signal;
use std::io::ErrorKind;
use tokio_util::sync::CancellationToken;

/// Serves the offline reader over HTTP until a signal stops it.
pub async fn run(args: cli::OfflineModelArgs, output: Output) -> Result<(), CliError> {
    let stop = CancellationToken::new();
    let slots = usize::from(args.slots);
    let (address, serving) = serve(args.listen, slots, stop.clone())
        .await
        .map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => CliError::negative(format!("{} is taken", args.listen))
                .hint("another process listens there; --listen 127.0.0.1:0 takes any free port"),
            _ => CliError::negative(format!("{}: {error}", args.listen)),
        })?;
    match output {
        Output::Json => println!(
            "{}",
            serde_json::json!({"base_url": format!("http://{address}"), "model": OFFLINE})
        ),
        _ => {
            println!("Model:   {OFFLINE}, which is no language model, at http://{address}/v1");
            println!(
                "Use it:  argosy ask \"…\" --set model.model={OFFLINE} --set 'model.nodes=[{{\"name\":\"offline\",\"base_url\":\"http://{address}\"}}]'"
            );
        }
    }
    let mut served = Ok(());
    signal::stop_on_signal(&stop, async { served = serving.await }).await;
    served.map_err(CliError::from)
}
