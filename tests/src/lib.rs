//! The whole-fleet tests, see the `[[test]]` sections of Cargo.toml. This crate exports nothing.
