//! The messages on `argosy.live.<turn>` while a turn runs. They are delivered at most once, to the listeners that are
//! connected.
//!
//! There are three kinds of bodies: a [`TrailEntry`](crate::TrailEntry) for each step that is done, a [`LiveText`]
//! for each piece of a draft while it is written, and a [`LiveWait`] where it is known how long a call of the model
//! will likely take. Only a `LiveText` has a field `text`, and only a `LiveWait` a field `expected_ms`.

use crate::role::Role;
use serde::{Deserialize, Serialize};

/// A piece of a draft that a stage writes. It is unchecked: only the terminal event has the checked answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveText {
    /// The role that writes it.
    pub role: Role,
    /// Hop of its step.
    pub hop: u16,
    /// Delivery of the step, from 1: another one begins anew.
    pub attempt: u16,
    /// Number of the draft in this delivery, from 0: another one begins anew, as when a model call is made again.
    #[serde(default)]
    pub draft: u16,
    /// Number of the piece, from 0. A gap says that pieces were dropped.
    pub n: u32,
    /// The text. An empty text at the beginning of a draft means that the text shown before is void.
    pub text: String,
}

/// How long the work of a stage will likely take, from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveWait {
    /// The role that works.
    pub role: Role,
    /// Hop of its step.
    pub hop: u16,
    /// The time in milliseconds, by the measured speed of the model's node.
    pub expected_ms: u64,
}
