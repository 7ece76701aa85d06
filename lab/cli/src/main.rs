//! taktos-cli
fn main() {}
