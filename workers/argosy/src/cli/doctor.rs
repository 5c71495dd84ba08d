//! The arguments of `argosy doctor` and `argosy explain`.

use super::ServerArgs;
use clap::Args;

/// `argosy doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Questions a second that the streams are to carry: fails when they do not.
    #[arg(long, value_name = "N")]
    pub rate: Option<f64>,
    /// Logs of conversations to fold anew, those that were last used; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(0..=512))]
    pub logs: u16,
    /// Where the fleet is.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// `argosy explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code, as `argosy doctor` prints it. Default: all of them, by title.
    pub code: Option<String>,
}
