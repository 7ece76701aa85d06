//! Images, from the name of a program to the record of its run: found, built, put on a board by its
//! name, run one next to another, stored so that nothing is run twice. Meanwhile the user sees
//! progress, and failures with their hint.
//!
//! Owns: the places of files in the tree, cargo's part in it, boards by name, the emulator's
//! processes of a run. Must never know: the purpose of a run, or the use of its record.

pub mod board;
pub mod emulator;
pub mod failure;
pub mod fault;
pub mod holds;
pub mod image;
pub mod kept;
pub mod kind;
pub mod loaded;
pub mod progress;
pub mod several;
pub mod station;
pub mod vm;
pub mod workspace;
