//! Measuring the fleet.
use crate::cli::{BenchFleet, Output};
use crate::fail::Fail;
/// `argosy bench fleet`
pub async fn fleet(_args: BenchFleet, _output: Output) -> Result<(), Fail> {
    Err(Fail::negative("not yet"))
}
