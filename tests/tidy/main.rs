//! Checks rules about the repository itself: which crate may depend on which, and what no file may contain.
//!
//! Every rule is one named test that reports file, line and what to do. A rule has as few exceptions as possible.
//! Each exception is in a list with its reason, and an exception that is no longer needed makes the test fail, too.
//! What clippy and rustfmt can check is left to them.

mod dependencies;
mod docs;
mod errors;
mod forbidden;
mod manifest;
mod names;
mod public_items;
mod role_lists;
mod roles;
mod sources;
mod tree;
mod unused_pub;
mod weight;
