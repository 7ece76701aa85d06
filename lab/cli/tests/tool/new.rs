//! A program of one's own: what is refused, in words, and what is written. That it builds and runs
//! is a step of `./taktos test`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Folder, fail, root, succeed, taktos};

/// `taktos new` with these words, in the folder.
fn new(folder: &Folder, words: &str) -> Command {
    let mut command = taktos(&format!("new {words}"));
    command.current_dir(&folder.0).env("TAKTOS_ROOT", root());
    command
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_written() {
    let folder = Folder::new("new-refused");
    let hard = "no target that hands floating-point values over in registers";
    for (words, cause, hint) in [
        ("2fast", "does not begin with a letter", "such as `blinky`"),
        ("../up", "does not begin with a letter", "such as `blinky`"),
        ("fn", "means something else", "such as `blinky`"),
        (
            "a --board leon3",
            "unknown board `leon3`",
            "mps2-an386, stm32l475-iot01, stm32f405, mps3-an547, realview-pb-a8",
        ),
        ("a --board virt-aarch64 --hard-float", hard, "mps2-an386"),
        (
            "filter --loaded",
            "means something else",
            "such as `blinky`",
        ),
        (
            "a --c --board virt-aarch64-smp",
            "there is no library for C programs on `virt-aarch64-smp`",
            "mps2-an386, stm32l475-iot01",
        ),
    ] {
        fail(&mut new(&folder, words), 2, cause, hint);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_folder_that_is_there_stays_as_it_is() {
    let folder = Folder::new("new-there");
    folder.file("mine", "kept");
    fail(
        &mut new(&folder, "mine"),
        2,
        "it is there already",
        "name another",
    );
    assert_eq!(fs::read_to_string(folder.0.join("mine")).unwrap(), "kept");
}

#[test]
fn outside_of_a_tree_it_says_so() {
    let folder = Folder::new("new-outside");
    let mut command = new(&folder, "a");
    fail(
        command.env_remove("TAKTOS_ROOT"),
        2,
        "not inside a Taktos tree",
        "the script `taktos`",
    );
    assert!(folder.names().is_empty());
}

#[test]
fn a_c_project_names_its_board_and_its_tool_chain() {
    let folder = Folder::new("new-c");
    for (words, name, chain) in [
        ("a --c", "a", "arm-none-eabi"),
        ("b --c --board virt-aarch64", "b", "aarch64-linux-gnu"),
        ("c --c --board virt-riscv64", "c", "riscv64-linux-gnu"),
    ] {
        succeed(&mut new(&folder, words));
        let place = folder.0.join(name);
        for file in files(&place) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains("<<"), "{}: {text}", file.display());
        }
        let cmake = read(&place, "CMakeLists.txt");
        assert!(cmake.contains(&format!("project({name} C)")), "{cmake}");
        let readme = read(&place, "README.md");
        assert!(
            readme.contains(&format!("Taktos/{chain}.cmake")),
            "{readme}"
        );
    }
}

#[test]
fn a_library_for_a_board_that_has_none_is_refused_before_anything_is_written() {
    let folder = Folder::new("install-refused");
    let mut command = taktos("install sdk --board virt-aarch64-smp");
    command.current_dir(&folder.0).env("TAKTOS_ROOT", root());
    fail(
        &mut command,
        2,
        "no library for C programs on `virt-aarch64-smp`",
        "take one of",
    );
    assert!(folder.names().is_empty());
}

#[test]
fn no_blank_is_left_and_cargo_reads_what_is_written() {
    let folder = Folder::new("new-written");
    let git = "b --board virt-riscv64 --git https://example.org/it's --rev \"v1\"";
    for words in ["a", "a-2 --hard-float", git, "c --loaded"] {
        succeed(&mut new(&folder, words));
    }
    assert_eq!(folder.names(), ["a", "a-2", "b", "c"]);
    for name in folder.names() {
        let place = folder.0.join(&name);
        for file in files(&place) {
            let text = fs::read_to_string(&file).unwrap();
            let blank = text
                .split("<<")
                .skip(1)
                .find(|rest| rest.starts_with(char::is_alphabetic));
            assert_eq!(blank, None, "{}", file.display());
        }
        let manifest: toml::Table = read(&place, "Cargo.toml").parse().unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some(&*name));
        read(&place, ".cargo/config.toml")
            .parse::<toml::Table>()
            .unwrap();
    }
    // A program with budgets has a step for them, which names what cargo builds.
    for (name, has) in [("a", true), ("a-2", true), ("b", true), ("c", false)] {
        let place = folder.0.join(name);
        let ci = read(&place, ".github/workflows/ci.yml");
        assert_eq!(ci.ends_with("      - run: sh budgets.sh\n"), has, "{ci}");
        assert_eq!(place.join("budgets.sh").is_file(), has);
        assert_eq!(place.join("budgets.toml").is_file(), has);
    }
    let budgets = read(&folder.0, "a-2/budgets.toml");
    assert!(budgets.contains("from = \"a_2::filter\""), "{budgets}");
    let by_git: toml::Table = read(&folder.0, "b/Cargo.toml").parse().unwrap();
    let taktos = &by_git["dependencies"]["taktos"];
    assert_eq!(taktos["git"].as_str(), Some("https://example.org/it's"));
    assert_eq!(taktos["rev"].as_str(), Some("\"v1\""));
    assert_eq!(taktos["features"][0].as_str(), Some("virt-riscv64"));
    let loaded: toml::Table = read(&folder.0, "c/filter/Cargo.toml").parse().unwrap();
    assert!(loaded["dependencies"]["taktos-user"]["path"].is_str());
    let hard = read(&folder.0, "a-2/.cargo/config.toml");
    assert!(hard.contains("[target.thumbv7em-none-eabihf]"), "{hard}");
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap()
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| !path.ends_with("Cargo.lock"))
        .collect()
}
