//! The programs that the experiments run on the kernel, for any board.
//!
//! Owns: what threads do and where intervals are marked. Must never know: a board, the kernel's inside.
#![no_std]
