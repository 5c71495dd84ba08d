//! The planner worker.
