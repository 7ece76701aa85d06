//! Refuses a program that is not for one board, and hands on what the board tells the linker, to the program's own build script.

use std::env;

/// How cargo names the features, each of which is a board.
const FEATURE: &str = "CARGO_FEATURE_";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let boards: Vec<String> = env::vars()
        .filter_map(|(name, _)| Some(name.strip_prefix(FEATURE)?.to_lowercase().replace('_', "-")))
        .collect();
    let is_host = env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none");
    match boards.as_slice() {
        [_] => hand_on(),
        [] if is_host => {}
        [] => refuse("none is named"),
        // Also on the host, where cargo comes first: on a board's target the other board's crates would be refused in many more words.
        boards => refuse(&format!("{} are named", boards.join(" and "))),
    }
}

fn refuse(why: &str) {
    println!(
        "cargo::error=a program is for one board, and {why}: name it as the only feature of `taktos` in Cargo.toml"
    );
}

fn hand_on() {
    let is_told =
        |name: &str| name.starts_with("DEP_TAKTOS_BOARD_") && name.ends_with("_ARGUMENTS");
    if let Some((_, arguments)) = env::vars().find(|(name, _)| is_told(name)) {
        println!("cargo::metadata=arguments={arguments}");
    }
}
