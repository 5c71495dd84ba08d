//! Rules about the tree itself: which crate may depend on which, and what no file may hold.
//!
//! Every rule is one named test that reads files and reports file, line and what to do. A rule has as few exceptions
//! as possible. Each exception stands in a list with its reason, and one that is no longer needed makes the test
//! fail, too. Clippy and rustfmt check everything that they can.

mod dependencies;
mod docs;
mod errors;
mod manifest;
mod names;
mod public_items;
mod role_lists;
mod roles;
mod sources;
mod theirs;
mod tree;
mod unused_pub;
mod weight;
mod words;
