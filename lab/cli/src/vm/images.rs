//! Owns: the files of the images that a configuration names.
//! Must never know: where they lie in a partition.

use std::path::PathBuf;

use anyhow::Result;
use taktos_linux::{Job, Kernel, Linux, command_line};
use taktos_vm::{Configuration, Flavour, Image, Sources};

use crate::failure::Failure;
use crate::image;
use crate::progress::Progress;
use crate::workspace::Workspace;

/// The board of the hypervisor, and that of the project's guests.
const BOARD: &str = "virt-aarch64-el2";
const GUESTS: &str = "virt-aarch64-guest";
const TRIPLE: &str = "aarch64-unknown-none-softfloat";

/// Builds the hypervisor.
///
/// # Errors
/// When cargo refuses.
pub fn hypervisor(workspace: &Workspace, progress: &Progress) -> Result<PathBuf> {
    let built = progress.during("building the hypervisor ...", || {
        image::build_for(workspace, (BOARD, TRIPLE), "hypervisor")
    })?;
    Ok(built.path)
}

/// Builds or fetches what the partitions run, each image once.
///
/// # Errors
/// When cargo refuses, there is no such guest, or Debian's packages cannot be fetched.
pub fn sources(
    workspace: &Workspace,
    configuration: &Configuration,
    progress: &Progress,
) -> Result<Vec<Sources>> {
    let mut known: Vec<(&Image, Sources)> = Vec::new();
    let mut sources = Vec::with_capacity(configuration.partitions.len());
    for partition in &configuration.partitions {
        let same = known.iter().find(|(image, _)| *image == &partition.image);
        let source = match same {
            Some((_, source)) => source.clone(),
            None => source(workspace, &partition.image, progress)?,
        };
        known.push((&partition.image, source.clone()));
        sources.push(source);
    }
    Ok(sources)
}

fn source(workspace: &Workspace, image: &Image, progress: &Progress) -> Result<Sources> {
    match image {
        Image::File(path) => Ok(Sources {
            kernel: path.clone(),
            initrd: None,
            arguments: String::new(),
        }),
        Image::Taktos(name) => {
            let what = format!("building the guest {name} ...");
            let board = (GUESTS, TRIPLE);
            let built = progress.during(&what, || image::build_for(workspace, board, name))?;
            Ok(Sources {
                kernel: built.path,
                initrd: None,
                arguments: String::new(),
            })
        }
        Image::Debian(flavour) => debian(workspace, *flavour, progress),
    }
}

/// Debian's kernel with a shell, unless the configuration has other words.
fn debian(workspace: &Workspace, flavour: Flavour, progress: &Progress) -> Result<Sources> {
    let folder = workspace.target().join("linux");
    let what = match Linux::is_present(&folder) {
        true => "Debian's Linux ...",
        false => "fetching Debian's Linux (190 MB, once) ...",
    };
    let linux = progress.during(what, || Linux::set_up(&folder, &mut |_| {}));
    let linux = linux.map_err(|error| Failure::error(error.to_string(), error.mend()))?;
    let kernel = match flavour {
        Flavour::RealTime => Kernel::RealTime,
        Flavour::Ordinary => Kernel::Ordinary,
    };
    Ok(Sources {
        kernel: linux.image(kernel),
        initrd: Some(linux.initramfs()),
        arguments: command_line(&Job::Shell),
    })
}
