//! Whole-fleet tests.
