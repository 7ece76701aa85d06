//! taktos-time
