//! Links the program where its loader has it.

fn main() {
    taktos_build::program();
}
