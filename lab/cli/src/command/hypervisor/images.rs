//! The images of the experiment: built or fetched once for all cases.

use anyhow::{Context, Result};
use taktos_linux::{Kernel, Linux};
use taktos_vm::{Flavour, Sources};

use crate::failure::Failure;
use crate::hypervisor::digest;
use crate::image::{self, Image};
use crate::progress::Progress;
use crate::workspace::Workspace;

/// The board of the hypervisor, that of its guests, and what both are built for.
const BOARD: &str = "virt-aarch64-el2";
const GUESTS: &str = "virt-aarch64-guest";
const TRIPLE: &str = "aarch64-unknown-none-softfloat";
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
        let build = |board, name| image::build_for(workspace, (board, TRIPLE), name);
        let hypervisor =
            progress.during("building the hypervisor ...", || build(BOARD, "hypervisor"))?;
        let latency =
            progress.during("building the guest latency ...", || build(GUESTS, LATENCY))?;
        let folder = workspace.target().join("linux");
        let what = match Linux::is_present(&folder) {
            true => "Debian's Linux ...",
            false => "fetching Debian's Linux (190 MB, once) ...",
        };
        let linux = progress.during(what, || Linux::set_up(&folder, &mut |_| {}));
        let linux = linux.map_err(|error| Failure::error(error.to_string(), error.mend()))?;
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
            taktos_vm::Image::Taktos(name) if name == LATENCY => Ok(Sources {
                kernel: self.latency.path.clone(),
                initrd: None,
                arguments: String::new(),
            }),
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
