//! realview-pb-a8
fn main() {}
