//! taktos-schedule
