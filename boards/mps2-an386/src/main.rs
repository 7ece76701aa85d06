//! mps2-an386
fn main() {}
