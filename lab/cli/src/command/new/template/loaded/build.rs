use taktos_build::Place;

fn main() {
    taktos_build::link();
    // Sizes are powers of two, and those of the two memories in main.rs; `stacks` is the part of
    // the second memory for stacks.
    let place = Place {
        base: taktos_build::programs(),
        code: 16384,
        memory: 8192,
        stacks: 4096,
    };
    taktos_build::load("filter", &place);
}
