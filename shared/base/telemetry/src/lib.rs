//! The tools with which a process reports what it does: logs, trace context, metrics, admin endpoints.
//!
//! *Not* here: the metrics themselves, which each crate defines in its `metrics.rs`, and the conditions of readiness,
//! which the components that fulfil them name. Nothing here is global except the log subscriber, which tracing makes
//! global.
//!
//! | module | what |
//! |---|---|
//! | [`logs`] | the subscriber: text for people, JSON for machines |
//! | [`trace`] | W3C trace context: parse, print, make a child |
//! | [`traces`] | spans: recorded, queued, sent to a collector |
//! | [`conventions`] | every name that a span has |
//! | [`registry`] | typed metric families, text exposition |
//! | [`buckets`] | the bucket bounds of our histograms |
//! | [`health`] | readiness conditions, start, liveness |
//! | [`admin`] | `/metrics`, `/livez`, `/readyz`, `/startupz` |
//! | [`probe`] | a client of these endpoints, for health checks without a shell |
//! | `options` | the section `telemetry` of the configuration |
//! | [`error`] | what can go wrong while setting up |

pub mod admin;
pub mod buckets;
pub mod conventions;
pub mod error;
pub mod health;
pub mod logs;
mod options;
pub mod probe;
pub mod registry;
pub mod trace;
pub mod traces;

pub use admin::{Admin, BoundAdmin};
pub use error::Error;
pub use health::{Health, Readiness};
pub use logs::LogFormat;
pub use options::Options;
pub use registry::{Description, Registry, zero};
pub use trace::TraceContext;
pub use traces::Traces;
