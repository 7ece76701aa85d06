//! taktos-export
