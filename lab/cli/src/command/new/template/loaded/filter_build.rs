fn main() {
    taktos_build::program();
}
