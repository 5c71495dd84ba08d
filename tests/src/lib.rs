//! Whole-fleet tests: see the `[[test]]` sections of Cargo.toml. Nothing is exported.
