//! Owns: how a C program of the tree's own becomes an image, by the library, script and words that `taktos install` hands to others.
//! Must never know: what it does.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use taktos_export::replace_file;

use super::Kit;
use super::library::Library;
use super::script;
use crate::failure::Failure;
use crate::image::{self, Image};
use crate::workspace::Workspace;

/// A C program of one file.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file.
    pub source: PathBuf,
    /// What the compiler is told besides what the board asks for.
    pub arguments: Vec<String>,
    /// What the image is called.
    pub name: String,
}

/// Builds a program for a board, with floating-point values in general registers.
///
/// # Errors
/// When the library or the program does not build, or there is no compiler.
pub fn built(workspace: &Workspace, kit: &Kit, program: &Program) -> Result<Image> {
    let library = Library::of(kit, false).context("each board has such a library")?;
    let built = library.build(workspace, false)?;
    let folder = workspace.target().join("c").join(library.name());
    fs::create_dir_all(&folder)?;
    let linker_script = folder.join("taktos.ld");
    replace_file(&linker_script, script::of(kit.script, &built)?)?;
    let path = folder.join(&program.name);
    let mut compiler = Command::new(format!("{}-gcc", kit.tool_chain.name));
    compiler
        .args(library.compiled())
        .args(&program.arguments)
        .arg(&program.source)
        .arg("-I")
        .arg(workspace.path("user/c/include"))
        .args(library.linked())
        .arg("-T")
        .arg(&linker_script)
        .arg(&built.archive)
        .arg("-o")
        .arg(&path);
    let output = compiler.output().map_err(|cause| {
        Failure::error(
            format!("{}-gcc does not start: {cause}", kit.tool_chain.name),
            format!("install Debian's {}", kit.tool_chain.packages),
        )
    })?;
    ensure!(
        output.status.success(),
        Failure::error(
            format!(
                "{} does not build:\n{}",
                program.source.display(),
                String::from_utf8_lossy(&output.stderr)
            ),
            "mend it in user/c",
        )
    );
    image::given(&path.to_string_lossy())?.context("the linker writes an image")
}
