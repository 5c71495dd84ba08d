//! Implements `--fault POINT=P`: the process kills itself at a named point with the probability P, for tests.

use argosy::cli_error::CliError;
use futures_util::future::BoxFuture;
use harness::fault::{Faults, Point};
use std::sync::Arc;

/// Points, each with the probability of a crash there.
pub struct Dice(Vec<(Point, f64)>);

impl Dice {
    /// Reads the flags; without a flag there are no faults.
    pub fn parse(flags: &[String]) -> Result<Option<Arc<dyn Faults>>, CliError> {
        let mut points = Vec::new();
        for flag in flags {
            let parsed = flag.split_once('=').and_then(|(name, p)| {
                let point = Point::ALL
                    .into_iter()
                    .find(|point| point.as_str() == name)?;
                Some((point, p.parse().ok().filter(|p| (0.0..=1.0).contains(p))?))
            });
            let names: Vec<_> = Point::ALL.iter().map(|point| point.as_str()).collect();
            let wrong = || {
                CliError::usage(format!(
                    "--fault `{flag}`: want POINT=P with one of {}",
                    names.join(", ")
                ))
            };
            points.push(parsed.ok_or_else(wrong)?);
        }
        let faults = |points| Arc::new(Dice(points)) as Arc<dyn Faults>;
        Ok(if points.is_empty() {
            None
        } else {
            Some(faults(points))
        })
    }
}

impl Faults for Dice {
    fn at(&self, point: Point) -> BoxFuture<'_, ()> {
        if self
            .0
            .iter()
            .any(|(at, p)| *at == point && fastrand::f64() < *p)
        {
            // As a SIGKILL would: nothing is flushed, nothing is given back.
            std::process::abort();
        }
        Box::pin(std::future::ready(()))
    }
}
