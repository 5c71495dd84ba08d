//! The binary: command line, configuration, roles to running processes.
