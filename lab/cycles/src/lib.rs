//! taktos-cycles
