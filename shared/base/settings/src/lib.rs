//! Checked configuration values and the loader that fills them.
//!
//! Every crate describes its own `Options`, made of the values here and of std types (`NonZeroU32` for counts that
//! must not be zero); the binary composes them into one type and calls [`load()`]. This crate has *no* options of
//! its own, and nothing else in the project reads the environment.
//!
//! | module | what |
//! |---|---|
//! | [`TimeSpan`] | lengths of time: `250ms`, `30s`, `5m`, `2h` |
//! | [`ByteSize`] | amounts of bytes: `256KiB`, `1GiB` |
//! | `secret` | text that is never displayed |
//! | [`backoff`] | growing, jittered delays |
//! | [`rule`] | which rule a value broke |
//! | `invalid_option` | which option is not allowed, as the check of a crate's options tells it |
//! | [`sources`] | where a configuration is loaded from, in which order |
//! | [`named`] | environment variables with names of their own |
//! | [`load`](mod@load) | defaults < variables by name < files < environment < flags |
//! | [`place`](mod@place) | in which line of a file a key stands |
//! | [`error`] | what is wrong, where, and what was probably meant |

pub mod backoff;
mod byte_size;
pub mod error;
mod invalid_option;
pub mod load;
pub mod named;
pub mod place;
pub mod rule;
mod secret;
pub mod sources;
mod time_span;

mod merge;
mod schema;
mod show;
mod tree;
mod units;

pub use backoff::Backoff;
pub use byte_size::ByteSize;
pub use error::{Error, SettingFault, SettingOrigin, SettingProblem};
pub use invalid_option::InvalidOption;
pub use load::{Configuration, load};
pub use named::NamedVariable;
pub use place::line_of;
pub use rule::BrokenRule;
pub use schema::nearest_name;
pub use secret::Secret;
pub use sources::Sources;
pub use time_span::TimeSpan;
