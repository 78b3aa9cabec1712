//! Segue: a declarative transition-registry engine for multi-turn assistants.
