//! taktos-trace
