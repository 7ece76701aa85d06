//! Owns: how a C program of the tree's own becomes an image, by the library, script and arguments
//! that `taktos install` gives to others. Must never know: the contents of the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use taktos_export::replace_file;
use taktos_runner::failure::Failure;
use taktos_runner::image::{self, Image};
use taktos_runner::workspace::Workspace;

use super::Kit;
use super::form::{self, Form};
use super::library::Library;
use super::script;

/// A C program of one file.
#[derive(Clone, Debug)]
pub struct Program {
    /// The file.
    pub source: PathBuf,
    /// Arguments of the compiler in addition to those of the board.
    pub arguments: Vec<String>,
    /// Name of the image.
    pub name: String,
}

/// Builds a program for a board, with floating-point values in general registers.
///
/// # Errors
/// When the library or the program does not build, or a compiler or a linker is missing.
pub fn built(workspace: &Workspace, kit: &Kit, program: &Program, form: Form) -> Result<Image> {
    let library = Library::of(kit, false, form).context("each board has such a library")?;
    let built = library.build(workspace, false)?;
    let folder = workspace.target().join("c").join(library.name());
    fs::create_dir_all(&folder)?;
    let linker_script = folder.join("taktos.ld");
    replace_file(&linker_script, script::of(kit.script, &built)?)?;
    let path = folder.join(&program.name);
    let object = folder.join(format!("{}.o", program.name));
    compile(workspace, &library, program, &object)?;
    let installed = match form {
        Form::Machine => String::new(),
        Form::Bitcode => linked_by(workspace, &folder)?,
    };
    let linked = library.linked().into_iter();
    let gcc = format!("{}-gcc", kit.tool_chain.name);
    run(
        Command::new(&gcc)
            .args(linked.map(|word| word.replace(form::PREFIX, &installed)))
            .arg(&object)
            .arg("-T")
            .arg(&linker_script)
            .arg(&built.archive)
            .arg("-o")
            .arg(&path),
        (&gcc, kit.tool_chain.packages),
        program,
    )?;
    image::given(&path.to_string_lossy())?.context("the linker writes an image")
}

/// Compiles it.
fn compile(
    workspace: &Workspace,
    library: &Library,
    program: &Program,
    object: &Path,
) -> Result<()> {
    let (compiler, headers) = form::compiler(library.kit, library.form);
    let packages = match library.form {
        Form::Machine => library.kit.tool_chain.packages,
        Form::Bitcode => "clang",
    };
    run(
        Command::new(&compiler)
            .args(library.compiled())
            .args(headers)
            .args(&program.arguments)
            .arg("-I")
            .arg(workspace.path("user/c/include"))
            .arg("-c")
            .arg(&program.source)
            .arg("-o")
            .arg(object),
        (&compiler, packages),
        program,
    )
}

/// Where the linker of bitcode is, as in what is installed.
fn linked_by(workspace: &Workspace, folder: &Path) -> Result<String> {
    super::install_linker(workspace, folder)?;
    Ok(folder.to_string_lossy().into_owned())
}

fn run(command: &mut Command, (name, packages): (&str, &str), program: &Program) -> Result<()> {
    let output = command.output().map_err(|cause| {
        Failure::error(
            format!("{name} does not start: {cause}"),
            format!("install Debian's {packages}"),
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
            "fix it in user/c",
        )
    );
    Ok(())
}
