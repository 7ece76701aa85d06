//! Owns: the forms to which a library is compiled, and the arguments of clang and of a linker for
//! bitcode, for link-time optimisation. Must never know: which boards there are.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use taktos_runner::failure::Failure;
use taktos_runner::workspace::Workspace;

use super::{Kit, ToolChain};

/// Form to which a library is compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Instructions of the processor.
    #[default]
    Machine,
    /// The compiler's own form of a program (LLVM's bitcode), from which a linker puts calls into
    /// their callers.
    Bitcode,
}

impl Form {
    /// The one for a program with link-time optimisation, or without.
    pub const fn of(lto: bool) -> Self {
        match lto {
            true => Self::Bitcode,
            false => Self::Machine,
        }
    }

    /// Returns all forms that are installed: bitcode in addition to the other.
    pub(super) const fn all(lto: bool) -> &'static [Self] {
        match lto {
            true => &[Self::Machine, Self::Bitcode],
            false => &[Self::Machine],
        }
    }

    /// Returns the ending of the names of such libraries.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Machine => "",
            Self::Bitcode => "-lto",
        }
    }
}

/// Arguments of clang for a processor: no more than the library's code may use, since a function is
/// inlined into another only if both may use the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clang {
    pub(super) processor: &'static [&'static str],
    pub(super) soft: &'static [&'static str],
    pub(super) hard: &'static [&'static str],
    /// Arguments of the linker of bitcode for it.
    pub(super) link: &'static [&'static str],
}

/// Arguments of clang for all processors. Clang adds a frame pointer to each function on bare
/// machines only.
pub(super) const ALWAYS: [&str; 2] = ["-flto", "-fomit-frame-pointer"];

pub(super) const CORTEX_M4: Clang = Clang {
    processor: &[
        "--target=arm-none-eabi",
        "-march=armv7e-m",
        "-mthumb",
        "-munaligned-access",
    ],
    // `softfp` hands values over as `soft` does. By `soft` functions are marked in a way that
    // the library's are not.
    soft: &["-mfloat-abi=softfp", "-mfpu=none"],
    hard: &["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
    link: &[],
};
pub(super) const CORTEX_M55: Clang = Clang {
    processor: &[
        "--target=arm-none-eabi",
        "-march=armv8-m.main",
        "-mthumb",
        "-munaligned-access",
    ],
    hard: &["-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
    ..CORTEX_M4
};
pub(super) const CORTEX_A8: Clang = Clang {
    processor: &[
        "--target=arm-none-eabi",
        "-march=armv7-a",
        "-marm",
        "-mno-unaligned-access",
    ],
    soft: &["-mfloat-abi=soft"],
    hard: &[],
    link: &[],
};
pub(super) const AARCH64: Clang = Clang {
    processor: &[
        "--target=aarch64-none-elf",
        "-march=armv8-a",
        "-mno-unaligned-access",
        "-ffreestanding",
        "-fno-pic",
    ],
    soft: &["-mgeneral-regs-only"],
    hard: &[],
    link: &[],
};
pub(super) const RISCV64: Clang = Clang {
    processor: &[
        "--target=riscv64-none-elf",
        "-march=rv64imac",
        "-mcmodel=medany",
        "-ffreestanding",
        "-fno-pic",
    ],
    soft: &["-mabi=lp64"],
    hard: &[],
    // GNU's name of the way of linking says how values are handed over, too.
    link: &["-Wl,-m,elf64lriscv"],
};

/// Text for the folder of the installation in the installed files, and the folder of the linker
/// below it.
pub(super) const PREFIX: &str = "@prefix@";
pub(super) const LINKERS: &str = "libexec/taktos";

/// Arguments of the compiler that links: the linker is another, and the objects are none of this
/// compiler's.
pub(super) const LINKED: [&str; 3] = ["-fno-lto", "-fuse-ld=lld", "-B@prefix@/libexec/taktos"];

/// The folder of the linker that comes with the compiler of the library, and so reads what that
/// writes.
///
/// # Errors
/// When there is none.
pub(super) fn linkers(workspace: &Workspace) -> Result<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir"])
        .current_dir(workspace.root())
        .output()
        .context("rustc does not start")?;
    let libraries = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    let folder = libraries.with_file_name("bin").join("gcc-ld");
    ensure!(
        folder.join("ld.lld").is_file(),
        Failure::error(
            format!("Rust has no linker of its own in {}", folder.display()),
            "install Rust by rustup, whose tool chains have one",
        )
    );
    Ok(folder)
}

/// Returns the script that is the linker of the installed libraries. If the linker of the compiler
/// is gone, the script reports it.
pub(super) fn linker(folder: &Path) -> String {
    include_str!("template/ld.lld").replace("{linker}", &folder.join("ld.lld").to_string_lossy())
}

/// Returns the compiler of programs, and its arguments for the C library's headers, which it does
/// not find by itself.
pub(super) fn compiler(kit: &Kit, form: Form) -> (String, Vec<String>) {
    match form {
        Form::Machine => (format!("{}-gcc", kit.tool_chain.name), Vec::new()),
        Form::Bitcode => ("clang".into(), headers(kit.tool_chain)),
    }
}

fn headers(chain: ToolChain) -> Vec<String> {
    let asked = Command::new(format!("{}-gcc", chain.name))
        .arg("-print-file-name=../include")
        .output();
    let said = asked.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    });
    match chain.has_newlib && said.starts_with('/') {
        true => vec!["-isystem".into(), said],
        false => Vec::new(),
    }
}
