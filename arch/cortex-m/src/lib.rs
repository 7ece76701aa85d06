//! taktos-arch-cortex-m
