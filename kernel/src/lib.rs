//! taktos-kernel
