fn main() {
    taktos_build::link();
}
