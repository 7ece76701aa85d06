//! taktos-machine
