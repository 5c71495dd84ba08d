//! Model nodes over OpenAI-compatible HTTP, and the offline reader.
