//! The images of the experiment: built or fetched once for all cases.

use anyhow::{Context, Result};
use taktos_linux::{Kernel, Linux};
use taktos_vm::{Flavour, Sources};

use crate::hypervisor::digest;
use crate::image::Image;
use crate::progress::Progress;
use crate::vm;
use crate::workspace::Workspace;

/// The measured program of the Taktos kernel.
const LATENCY: &str = "latency";

/// All images.
pub(super) struct Images {
    /// The hypervisor.
    pub hypervisor: Image,
    /// The Taktos kernel with its program.
    pub latency: Image,
    /// Debian's kernels.
    pub linux: Linux,
    /// A digest of Debian's parts.
    pub of_linux: String,
}

impl Images {
    /// Builds and fetches.
    ///
    /// # Errors
    /// When cargo refuses, or Debian's packages cannot be fetched.
    pub fn ready(workspace: &Workspace, progress: &Progress) -> Result<Self> {
        let hypervisor = vm::hypervisor(workspace, progress)?;
        let latency = vm::guest(workspace, LATENCY, progress)?;
        let linux = vm::linux(workspace, progress)?;
        let of_linux = of_linux(&linux)?;
        Ok(Self {
            hypervisor,
            latency,
            linux,
            of_linux,
        })
    }

    /// The files of what a partition runs.
    ///
    /// # Errors
    /// When a case names another image than those of the experiment.
    pub fn sources(&self, image: &taktos_vm::Image) -> Result<Sources> {
        let debian = |kernel| Sources {
            kernel: self.linux.image(kernel),
            initrd: Some(self.linux.initramfs()),
            arguments: String::new(),
        };
        match image {
            taktos_vm::Image::Debian(Flavour::RealTime) => Ok(debian(Kernel::RealTime)),
            taktos_vm::Image::Debian(Flavour::Ordinary) => Ok(debian(Kernel::Ordinary)),
            taktos_vm::Image::Taktos(name) if name == LATENCY => {
                Ok(Sources::of(self.latency.path.clone()))
            }
            other => anyhow::bail!("a case runs {other:?}, which the experiment does not have"),
        }
    }

    /// Versions and digests, for the manifest.
    pub fn shown(&self) -> Vec<(String, String)> {
        let packages = self.linux.packages().iter().map(|package| {
            let words = format!("{}, sha256 {}", package.version, package.sha256);
            (format!("package {}", package.name), words)
        });
        let images = [
            ("hypervisor".to_owned(), self.hypervisor.digest.clone()),
            ("guest latency".into(), self.latency.digest.clone()),
            (
                "kernels and initial file system".into(),
                format!("fnv1a64:{}", self.of_linux),
            ),
        ];
        images.into_iter().chain(packages).collect()
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
