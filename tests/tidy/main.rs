//! Rules about the tree itself: who may depend on whom, and what no file may hold.
//!
//! Every rule is one named test that reads files and says file, line and what to do. A rule has as
//! few exceptions as possible; each stands in a list with its reason, and one that is no longer
//! needed fails too. What clippy and rustfmt can check is theirs.

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
