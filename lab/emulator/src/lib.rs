//! taktos-emulator
