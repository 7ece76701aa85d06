//! The step that builds a program with settings in flash, by sequential-storage: it runs on the
//! board and is tested on this machine.
//!
//! Owns: what the program must print. Must never know: how a program is written and built.

use anyhow::Result;
use taktos_emulator::Board;
use taktos_runner::workspace::Workspace;

use super::{PROFILES, Place, Tally};
use crate::test::cargo::{counted, tool_built};

const NAME: &str = "settings";
const PROGRAM: &str = include_str!("settings/main.rs");
const FLASH: &str = include_str!("settings/flash.rs");
const BOARD: Board = Board::MPS2_AN386;
const CRATES: (&str, &str) = (
    "[dependencies]\n",
    "[dependencies]\nembedded-storage = \"=0.3.2\"\nembedded-storage-async = \"=0.4.2\"\nsequential-storage = \"=8.0.2\"\n",
);
const SAYS: &str = "volume Some(11), brightness Some(200), other None, 11 erasures";

/// The program, which reads its settings as after a reset.
pub(in crate::test) fn kept(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let place = Place::new(workspace, "own-settings")?;
    place.write(NAME, &["--board", BOARD.name()])?;
    place.replace(NAME, "Cargo.toml", CRATES)?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.put(NAME, "src/flash.rs", FLASH)?;
    place.fetch_crates(NAME)?;
    all.add(place.run(NAME, PROFILES[0], SAYS)?);
    all.add(counted(place.cargo(NAME).args(["test", "--quiet"]))?);
    std::fs::remove_dir_all(&place.folder)?;
    Ok(all)
}
