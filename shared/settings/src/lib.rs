//! Checked configuration values and the loader that fills them.
