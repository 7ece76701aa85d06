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

/// Words that cannot be a program for a chip, the error's and the hint's.
const NO_CHIPS: [[&str; 3]; 12] = [
    [
        "a --chip STM32F411CE",
        "2 chips have names that begin with `STM32F411CE`",
        "name one of STM32F411CEUx, STM32F411CEYx",
    ],
    [
        "a --chip stm32",
        "chips have names that begin with `stm32`",
        "more: write more letters",
    ],
    [
        "a --chip GD32F103C9",
        "unknown chip `GD32F103C9`",
        "the nearest names are GD32F103C4, GD32F103C6, GD32F103C8, GD32F103CB, ",
    ],
    [
        "a --chip nRF51822_xxAA",
        "it lacks the processor's timer",
        "take another chip",
    ],
    [
        "a --chip RP2040 --no-hal",
        "RP2040 starts by a loader that its HAL has",
        "leave it out",
    ],
    [
        "a --chip GD32E230C8",
        "Cortex-M23: no port yet",
        "Cortex-M0, M3, M4, M7, M33",
    ],
    ["a --chip fe310", "RISC-V processor: no port yet", "--board"],
    [
        "a --chip MIMXRT1060",
        "no program by a memory map alone",
        "take another chip",
    ],
    [
        "a --chip GD32F103C8 --hard-float",
        "the processor of GD32F103C8 has no floating-point unit",
        "leave it out",
    ],
    [
        "a --chip GD32F103C8 --c",
        "no library for C programs on a chip",
        "--board",
    ],
    [
        "embassy-nrf --chip nRF52840_xxAA",
        "means something else",
        "such as `blinky`",
    ],
    [
        "taktos --chip nRF52840_xxAA",
        "means something else",
        "such as `blinky`",
    ],
];

#[test]
fn words_that_name_no_chip_are_answered() {
    let folder = Folder::new("new-no-chip");
    for [words, cause, hint] in NO_CHIPS {
        fail(&mut new(&folder, words), 2, cause, hint);
    }
    for other in ["--board stm32f405", "--guest", "--loaded"] {
        let output = new(&folder, &format!("a --chip RP235x {other}")).output();
        assert_eq!(output.unwrap().status.code(), Some(2), "{other}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn program_for_a_chip_has_map_and_hal() {
    let folder = Folder::new("new-chip");
    for (words, target, features, runner) in [
        (
            "a --chip stm32f411ceu6",
            "thumbv7em-none-eabi",
            &["chip", "pac", "critical-section"][..],
            "probe-rs run --chip STM32F411CEUx",
        ),
        (
            "b-2 --chip nRF52840 --no-hal --hard-float",
            "thumbv7em-none-eabihf",
            &["chip"],
            "probe-rs run --chip nRF52840_xxAA",
        ),
        (
            "c --chip GD32F103C8",
            "thumbv7m-none-eabi",
            &["chip"],
            "probe-rs run --chip GD32F103C8",
        ),
        (
            "d --chip RP2350 --git https://example.org/it",
            "thumbv8m.main-none-eabi",
            &["chip", "pac", "critical-section"],
            "probe-rs run --chip RP235x",
        ),
    ] {
        succeed(&mut new(&folder, words));
        let place = folder.0.join(words.split(' ').next().unwrap());
        for file in files(&place) {
            let text = fs::read_to_string(&file).unwrap();
            let mut rests = text.split("<<").skip(1);
            let blank = rests.find(|rest| rest.starts_with(char::is_alphabetic));
            assert_eq!(blank, None, "{}", file.display());
        }
        let table = |file: &str| read(&place, file).parse::<toml::Table>().unwrap();
        let manifest = table("Cargo.toml");
        let found = manifest["dependencies"]["taktos"]["features"].as_array();
        let found: Vec<&str> = found
            .unwrap()
            .iter()
            .filter_map(|one| one.as_str())
            .collect();
        assert_eq!(found, features);
        let config = table(".cargo/config.toml");
        assert_eq!(config["env"]["TAKTOS_TARGET"].as_str(), Some(target));
        // Cargo, too, takes the dot in a target's name for one between tables.
        let config = read(&place, ".cargo/config.toml");
        let of_target = format!("\n[target.{target}]\nrunner = \"{runner}\"\n");
        assert!(config.ends_with(&of_target), "{config}");
        let ci = read(&place, ".github/workflows/ci.yml");
        assert!(
            ci.ends_with(&format!("--release --target {target}\n")),
            "{ci}"
        );
        assert!(place.join("Cargo.lock").is_file());
    }
    let hal = |name: &str, package: &str| {
        let manifest = read(&folder.0, &format!("{name}/Cargo.toml"));
        let manifest: toml::Table = manifest.parse().unwrap();
        let on_chip = &manifest["target"]["cfg(target_os = \"none\")"]["dependencies"];
        on_chip[package]["features"][0].as_str().map(str::to_owned)
    };
    assert_eq!(hal("a", "embassy-stm32").as_deref(), Some("stm32f411ce"));
    assert_eq!(hal("d", "embassy-rp").as_deref(), Some("rp235xa"));
    let map = read(&folder.0, "a/memory.x");
    assert!(
        map.contains("FLASH : ORIGIN = 0x08000000, LENGTH = 512K\n"),
        "{map}"
    );
    assert!(map.contains("probe-rs 0."), "{map}");
    assert!(read(&folder.0, "a/src/chip.rs").contains("embassy_stm32::init"));
    assert!(read(&folder.0, "c/src/chip.rs").contains("const HERTZ: u32 = 8_000_000;"));
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
