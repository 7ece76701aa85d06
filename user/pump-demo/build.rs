//! Hands the linker the board's memory map, and has the program built that is loaded.

use taktos_build::Place;

fn main() {
    taktos_build::link();
    let place = Place {
        base: taktos_build::programs(),
        code: 4096,
        memory: 4096,
        stacks: 4 * 512,
    };
    taktos_build::load("pump", &place);
}
