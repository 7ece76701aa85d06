//! The images of an experiment with guests: built or fetched once for all cases.

use anyhow::{Context, Result};
use taktos_linux::{Kernel, Linux};
use taktos_vm::{Flavour, Sources};

use crate::image::Image;
use crate::kept::digest;
use crate::progress::Progress;
use crate::vm;
use crate::workspace::Workspace;

/// All images.
pub struct Images {
    hypervisor: Image,
    /// The program of the Taktos kernel that is measured, and its name.
    program: (&'static str, Image),
    /// Debian's kernels, where a case needs them, and a digest of them.
    linux: Option<(Linux, String)>,
}

impl Images {
    /// Builds and fetches.
    ///
    /// # Errors
    /// When cargo refuses, or Debian's packages cannot be fetched.
    pub fn ready(
        workspace: &Workspace,
        program: &'static str,
        needs_linux: bool,
        progress: &Progress,
    ) -> Result<Self> {
        let hypervisor = vm::hypervisor(workspace, progress)?;
        let image = vm::guest(workspace, program, progress)?;
        let linux = match needs_linux {
            true => {
                let linux = vm::linux(workspace, progress)?;
                let digest = of_linux(&linux)?;
                Some((linux, digest))
            }
            false => None,
        };
        Ok(Self {
            hypervisor,
            program: (program, image),
            linux,
        })
    }

    /// The hypervisor.
    pub const fn hypervisor(&self) -> &Image {
        &self.hypervisor
    }

    /// The measured program of the Taktos kernel.
    pub const fn program(&self) -> &Image {
        &self.program.1
    }

    /// Debian's kernels.
    ///
    /// # Errors
    /// When no case was said to need them.
    pub fn linux(&self) -> Result<&Linux> {
        let linux = self.linux.as_ref().map(|(linux, _)| linux);
        linux.context("a case runs Linux, which the experiment did not ask for")
    }

    /// A digest of Debian's parts; empty where there are none.
    pub fn of_linux(&self) -> &str {
        self.linux.as_ref().map_or("", |(_, digest)| digest)
    }

    /// The files of what a partition runs.
    ///
    /// # Errors
    /// When a case names another image than those of the experiment.
    pub fn sources(&self, image: &taktos_vm::Image) -> Result<Sources> {
        let debian = |kernel| -> Result<Sources> {
            let linux = self.linux()?;
            Ok(Sources {
                kernel: linux.image(kernel),
                initrd: Some(linux.initramfs()),
                arguments: String::new(),
            })
        };
        match image {
            taktos_vm::Image::Debian(Flavour::RealTime) => debian(Kernel::RealTime),
            taktos_vm::Image::Debian(Flavour::Ordinary) => debian(Kernel::Ordinary),
            taktos_vm::Image::Taktos(name) if name == self.program.0 => {
                Ok(Sources::of(self.program().path.clone()))
            }
            other => anyhow::bail!("a case runs {other:?}, which the experiment does not have"),
        }
    }

    /// Versions and digests, for the manifest.
    pub fn shown(&self) -> Vec<(String, String)> {
        let (name, image) = &self.program;
        let mut shown = vec![
            ("hypervisor".to_owned(), self.hypervisor.digest.clone()),
            (format!("guest {name}"), image.digest.clone()),
        ];
        if let Some((linux, digest)) = &self.linux {
            let name = "kernels and initial file system".to_owned();
            shown.push((name, format!("fnv1a64:{digest}")));
            shown.extend(linux.packages().iter().map(|package| {
                let words = format!("{}, sha256 {}", package.version, package.sha256);
                (format!("package {}", package.name), words)
            }));
        }
        shown
    }
}

/// A digest of all bytes of Debian's that guests run.
fn of_linux(linux: &Linux) -> Result<String> {
    let files = [
        linux.image(Kernel::RealTime),
        linux.image(Kernel::Ordinary),
        linux.initramfs(),
    ];
    let read = |path: &std::path::PathBuf| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let bytes = files.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(digest(bytes.iter().map(Vec::as_slice)))
}
