//! Owns: the files of the images that a configuration names.
//! Must never know: their places in a partition.

use anyhow::Result;
use taktos_emulator::El2;
use taktos_linux::{Job, Kernel, Linux, command_line};
use taktos_vm::{Configuration, Flavour, Image, Sources};

use crate::failure::Failure;
use crate::image;
use crate::progress::Progress;
use crate::workspace::Workspace;

/// The board of the project's guests: its name, and the triple that its images are compiled for,
/// which is the hypervisor's.
pub const GUESTS: (&str, &str) = ("virt-aarch64-guest", El2::BOARD.1);

/// Builds the hypervisor.
///
/// # Errors
/// When cargo refuses.
pub fn hypervisor(workspace: &Workspace, progress: &Progress) -> Result<image::Image> {
    progress.during("building the hypervisor ...", || {
        image::build_for(workspace, El2::BOARD, "hypervisor")
    })
}

/// Builds one of the project's guests.
///
/// # Errors
/// When cargo refuses, or there is no such guest.
pub fn guest(workspace: &Workspace, name: &str, progress: &Progress) -> Result<image::Image> {
    let what = format!("building the guest {name} ...");
    progress.during(&what, || image::build_for(workspace, GUESTS, name))
}

/// Debian's Linux, fetched where it is not there.
///
/// # Errors
/// When Debian's packages cannot be fetched.
pub fn linux(workspace: &Workspace, progress: &Progress) -> Result<Linux> {
    let folder = workspace.target().join("linux");
    let what = match Linux::is_present(&folder) {
        true => "Debian's Linux ...",
        false => "fetching Debian's Linux (190 MB, once) ...",
    };
    let linux = progress.during(what, || Linux::set_up(&folder, &mut |_| {}));
    linux.map_err(|error| Failure::error(error.to_string(), error.hint()))
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
        Image::File(path) => Ok(Sources::of(path.clone())),
        Image::Taktos(name) => Ok(Sources::of(guest(workspace, name, progress)?.path)),
        Image::Debian(flavour) => debian(workspace, *flavour, progress),
    }
}

/// Debian's kernel with a shell, unless the configuration has other words.
fn debian(workspace: &Workspace, flavour: Flavour, progress: &Progress) -> Result<Sources> {
    let linux = linux(workspace, progress)?;
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
