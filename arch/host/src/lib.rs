//! taktos-arch-host
