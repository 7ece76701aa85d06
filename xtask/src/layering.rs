//! The allowed dependencies between crates: the walls between the project's folders.
//!
//! The table below is the rule; `cargo metadata` gives the actual dependencies. A crate is known by
//! the folder that it is located in.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use taktos_runner::workspace::Workspace;

use crate::metadata;

/// A folder, and the folders and outside crates that its crates may use.
struct Rule {
    /// The folder, or the folder above the crates.
    room: &'static str,
    /// Folders of the project.
    rooms: &'static [&'static str],
    /// Crates from outside; `*` for any.
    outside: &'static [&'static str],
}

const ANY: &[&str] = &["*"];

/// Rules. The first one with a folder that holds a crate is the crate's rule.
const RULES: &[Rule] = &[
    Rule {
        room: "core",
        rooms: &["core"],
        outside: &[],
    },
    Rule {
        room: "machine",
        rooms: &["core/time", "core/abi"],
        outside: &[],
    },
    Rule {
        room: "kernel",
        rooms: &["core", "machine"],
        // Lists of free memory by size, for heaps.
        outside: &["rlsf"],
    },
    Rule {
        room: "hypervisor",
        rooms: &["core", "machine"],
        // Locks with guards over the machine's own.
        outside: &["lock_api"],
    },
    Rule {
        room: "fieldbus/segment",
        rooms: &[],
        outside: &[],
    },
    Rule {
        room: "fieldbus/ethercat",
        rooms: &["kernel", "core/abi"],
        outside: ANY,
    },
    Rule {
        room: "fieldbus",
        rooms: &["fieldbus", "kernel", "workloads", "core/abi"],
        outside: ANY,
    },
    Rule {
        room: "arch/aarch64-el2",
        rooms: &["hypervisor", "core/abi", "core/lock", "core/time"],
        outside: ANY,
    },
    Rule {
        room: "arch/gicv2",
        rooms: &[],
        outside: &[],
    },
    Rule {
        room: "arch/common",
        rooms: &["machine", "core/abi", "core/lock"],
        outside: &[],
    },
    Rule {
        room: "arch",
        rooms: &[
            "machine",
            "arch/common",
            "arch/gicv2",
            "core/abi",
            "core/lock",
            "core/time",
        ],
        outside: ANY,
    },
    Rule {
        room: "boards/common",
        rooms: &["machine", "kernel", "arch", "workloads"],
        outside: ANY,
    },
    Rule {
        room: "boards",
        rooms: &[
            "boards/common",
            "core",
            "machine",
            "kernel",
            "hypervisor",
            "arch",
            "workloads",
            "fieldbus",
            "facade/build",
        ],
        outside: ANY,
    },
    Rule {
        room: "facade/build",
        rooms: &[],
        outside: &[],
    },
    Rule {
        room: "facade/macros",
        rooms: &[],
        outside: &["proc-macro2", "quote", "syn"],
    },
    Rule {
        room: "facade",
        rooms: &["kernel", "machine", "boards", "facade/macros"],
        outside: &["critical-section", "defmt", "defmt-rtt", "log"],
    },
    Rule {
        room: "user/embassy",
        rooms: &["kernel", "machine"],
        outside: ANY,
    },
    Rule {
        room: "user/shell",
        rooms: &["kernel", "arch/host", "boards/host"],
        outside: &["embedded-io"],
    },
    Rule {
        room: "user/calls",
        rooms: &["core/abi", "core/time"],
        outside: &[],
    },
    Rule {
        room: "user/c",
        rooms: &["facade", "kernel", "machine"],
        outside: &["rlsf"],
    },
    Rule {
        room: "user",
        rooms: &["facade", "user"],
        outside: ANY,
    },
    Rule {
        room: "workloads",
        rooms: &["kernel", "machine", "core/abi", "core/time", "user/calls"],
        outside: ANY,
    },
    Rule {
        room: "lab/clock",
        rooms: &[],
        outside: &[],
    },
    Rule {
        room: "lab/cycles",
        rooms: &["core"],
        outside: ANY,
    },
    Rule {
        room: "lab/export",
        rooms: &["core"],
        outside: ANY,
    },
    Rule {
        room: "lab/fieldbus",
        rooms: &["fieldbus/segment"],
        outside: ANY,
    },
    Rule {
        room: "lab/linux",
        rooms: &[],
        outside: ANY,
    },
    Rule {
        room: "lab/emulator",
        rooms: &["core", "lab/cycles"],
        outside: ANY,
    },
    Rule {
        room: "lab/simulate",
        rooms: &["core"],
        outside: ANY,
    },
    Rule {
        room: "lab/vm",
        rooms: &["core", "lab/simulate"],
        outside: ANY,
    },
    Rule {
        room: "lab/runner",
        rooms: &[
            "core",
            "lab/emulator",
            "lab/export",
            "lab/linux",
            "lab/simulate",
            "lab/vm",
        ],
        outside: ANY,
    },
    Rule {
        room: "lab/experiments",
        rooms: &[
            "core",
            "lab/cycles",
            "lab/emulator",
            "lab/export",
            "lab/fieldbus",
            "lab/linux",
            "lab/runner",
            "lab/simulate",
            "lab/vm",
        ],
        outside: ANY,
    },
    Rule {
        room: "lab/cli",
        rooms: &[
            "core",
            "lab/cycles",
            "lab/emulator",
            "lab/experiments",
            "lab/export",
            "lab/fieldbus",
            "lab/linux",
            "lab/runner",
            "lab/simulate",
            "lab/vm",
        ],
        outside: ANY,
    },
    Rule {
        room: "xtask",
        rooms: &["core", "lab"],
        outside: ANY,
    },
    Rule {
        room: "tests",
        rooms: &[
            "core",
            "machine",
            "kernel",
            "hypervisor",
            "arch/host",
            "boards/host",
            "workloads",
            "lab/simulate",
            "tests",
        ],
        outside: ANY,
    },
];

/// Code that only tests build may be from anywhere outside.
const TESTS_MAY_USE: &str = "dev";
/// Package of the tree that tests in every folder may use.
const OF_ALL_TESTS: &str = "tests/random";
/// The package that tests in every room may use, and nothing else: it decides as slowly as can be.
const ORACLE: &str = "core/schedule/tests/oracle";

/// Reads the crates of the workspace and checks every edge.
///
/// # Errors
/// Names every edge that no rule allows.
pub fn check(workspace: &Workspace) -> Result<String> {
    let (edges, wrong) = wrong_edges(&metadata::of(workspace)?)?;
    if !wrong.is_empty() {
        bail!(
            "{} of {edges} dependencies go through a wall:\n  {}\n\
             who may depend on whom: xtask/src/layering.rs and ARCHITECTURE.md",
            wrong.len(),
            wrong.join("\n  ")
        );
    }
    Ok(format!("{edges} dependencies, none through a wall"))
}

/// The number of edges, and those that no rule allows.
fn wrong_edges(metadata: &Value) -> Result<(usize, Vec<String>)> {
    let root = metadata["workspace_root"]
        .as_str()
        .context("metadata without a root")?;
    let packages = metadata["packages"]
        .as_array()
        .context("metadata without packages")?;
    let mut edges = 0;
    let mut wrong = Vec::new();
    for package in packages {
        let room = room_of(root, package["manifest_path"].as_str().unwrap_or_default());
        let Some(rule) = rule_of(&room) else {
            wrong.push(format!("{room} is in no room that the table knows"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            edges += 1;
            if !allowed(rule, root, dependency) {
                let name = dependency["name"].as_str().unwrap_or("?");
                wrong.push(format!("{room} may not use {name}"));
            }
        }
    }
    Ok((edges, wrong))
}

/// Returns the folder of a manifest, from the root.
pub fn room_of(root: &str, manifest: &str) -> String {
    let folder = Path::new(manifest).parent().unwrap_or(Path::new(""));
    folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .display()
        .to_string()
}

fn rule_of(room: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| is_in(room, rule.room))
}

fn is_in(room: &str, above: &str) -> bool {
    room == above
        || room
            .strip_prefix(above)
            .is_some_and(|rest| rest.starts_with('/'))
}

fn allowed(rule: &Rule, root: &str, dependency: &Value) -> bool {
    let for_tests = dependency["kind"].as_str() == Some(TESTS_MAY_USE);
    match dependency["path"].as_str() {
        Some(path) => {
            let room = room_of(root, &format!("{path}/Cargo.toml"));
            let is_in_rooms = rule.rooms.iter().any(|allowed| is_in(&room, allowed));
            (for_tests && [OF_ALL_TESTS, ORACLE].contains(&room.as_str()))
                || (is_in_rooms && room != ORACLE)
        }
        None => {
            let name = dependency["name"].as_str().unwrap_or_default();
            for_tests
                || rule
                    .outside
                    .iter()
                    .any(|allowed| *allowed == "*" || *allowed == name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metadata(room: &str, dependency: Value) -> Value {
        let manifest = format!("/house/{room}/Cargo.toml");
        json!({
            "workspace_root": "/house",
            "packages": [{ "manifest_path": manifest, "dependencies": [dependency] }],
        })
    }

    fn inside(room: &str) -> Value {
        json!({ "name": room, "path": format!("/house/{room}"), "kind": null })
    }

    fn wrong(room: &str, dependency: Value) -> Vec<String> {
        wrong_edges(&metadata(room, dependency)).unwrap().1
    }

    #[test]
    fn every_wall_stands() {
        for (room, other) in [
            ("core/schedule", "machine"),
            ("machine", "core/schedule"),
            ("machine", "kernel"),
            ("kernel", "arch/cortex-m"),
            ("kernel", "boards/mps2-an386"),
            ("arch/cortex-m", "kernel"),
            ("workloads", "arch/cortex-m"),
            ("lab/emulator", "lab/export"),
            ("lab/export", "lab/cli"),
            ("lab/runner", "lab/experiments"),
            ("lab/experiments", "lab/cli"),
            ("lab/cycles", "kernel"),
            ("lab/vm", "hypervisor"),
            ("lab/fieldbus", "fieldbus/ethercat"),
            ("fieldbus/segment", "core/time"),
            ("boards/mps2-an386", "lab/cli"),
            ("facade", "workloads"),
            ("facade/build", "kernel"),
            ("facade/macros", "kernel"),
        ] {
            assert_eq!(
                wrong(room, inside(other)),
                [format!("{room} may not use {other}")]
            );
        }
    }

    #[test]
    fn every_door_is_open() {
        for (room, other) in [
            ("core/schedule", "core/time"),
            ("machine", "core/abi"),
            ("kernel", "machine"),
            ("arch/host", "machine"),
            ("boards/mps2-an386", "arch/cortex-m"),
            ("facade", "boards/mps2-an386"),
            ("lab/cli", "lab/experiments"),
            ("lab/experiments", "lab/runner"),
            ("lab/emulator", "lab/cycles"),
        ] {
            assert!(wrong(room, inside(other)).is_empty(), "{room} -> {other}");
        }
    }

    #[test]
    fn a_name_that_begins_alike_is_another_room() {
        assert!(!is_in("kernelish", "kernel"));
        assert_eq!(wrong("kernel", inside("machinery")).len(), 1);
    }

    #[test]
    fn the_kernel_takes_little_from_outside() {
        let serde = json!({ "name": "serde", "kind": null });
        assert_eq!(wrong("kernel", serde).len(), 1);
        let proptest = json!({ "name": "proptest", "kind": "dev" });
        assert!(wrong("kernel", proptest).is_empty());
        for of_tests in [OF_ALL_TESTS, ORACLE] {
            let mut edge = inside(of_tests);
            assert_eq!(wrong("kernel", edge.clone()).len(), 1);
            edge["kind"] = "dev".into();
            assert!(wrong("kernel", edge).is_empty());
        }
    }

    #[test]
    fn a_crate_without_a_room_is_named() {
        let said = wrong("attic", inside("core/time"));
        assert_eq!(said, ["attic is in no room that the table knows"]);
    }

    #[test]
    fn this_workspace_keeps_the_walls() {
        check(&Workspace::find().unwrap()).unwrap();
    }
}
