//! taktos-arch-armv7-a
