//! Owns: the parts of a Linux guest, their places, and the step that fetches missing ones.
//! Must never know: the machine that runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::apt::{Apt, run};
use crate::error::at;
use crate::image::ImageHeader;
use crate::manifest::{self, Package};
use crate::{Error, initramfs};

/// Debian 13: its kernels are Linux 6.12.
const SUITE: &str = "trixie";
const ARCHITECTURE: &str = "arm64";

/// Which of Debian's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// With PREEMPT_RT.
    RealTime,
    /// The ordinary one.
    Ordinary,
}

impl Kernel {
    const ALL: [Self; 2] = [Self::RealTime, Self::Ordinary];

    /// Returns the package that depends on the newest of its kind.
    const fn package(self) -> &'static str {
        match self {
            Self::RealTime => "linux-image-rt-arm64",
            Self::Ordinary => "linux-image-arm64",
        }
    }

    const fn file(self) -> &'static str {
        match self {
            Self::RealTime => "Image-rt",
            Self::Ordinary => "Image",
        }
    }
}

/// Members of packages that are kept: package, path (a pattern of tar's), name of the file here.
const MEMBERS: &[(&str, &str, &str)] = &[
    ("busybox-static", "./usr/bin/busybox", "busybox"),
    ("rt-tests", "./usr/bin/cyclictest", "cyclictest"),
    (
        "libc6",
        "./usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1",
        "loader",
    ),
    ("libc6", "./usr/lib/aarch64-linux-gnu/libc.so.6", "libc"),
    (
        "libnuma1",
        "./usr/lib/aarch64-linux-gnu/libnuma.so.1.*",
        "libnuma",
    ),
];
const MANIFEST: &str = "manifest.txt";
const INITRAMFS: &str = "initramfs.cpio";

/// Both kernels and the initial RAM file system, in a folder.
#[derive(Clone, Debug)]
pub struct Linux {
    folder: PathBuf,
    packages: Vec<Package>,
}

impl Linux {
    /// Returns the set-up in `folder`; fetches it first (190 MB, from the package mirror that the
    /// machine's apt sources name) if it is not there. `say` receives the progress, if it takes
    /// time.
    ///
    /// # Errors
    /// With its hint: see [`Error::hint`].
    pub fn set_up(folder: &Path, say: &mut dyn FnMut(&str)) -> Result<Self, Error> {
        if Self::kept(folder).is_none() {
            fetch(folder, say)?;
        }
        let packages = Self::kept(folder).ok_or_else(|| Error::Content {
            package: "set of packages".into(),
            member: MANIFEST.into(),
        })?;
        let linux = Self {
            folder: folder.to_owned(),
            packages,
        };
        for kernel in Kernel::ALL {
            linux.header(kernel)?;
        }
        linux.pack()?;
        Ok(linux)
    }

    /// Returns whether [`Linux::set_up`] would find everything there.
    #[must_use]
    pub fn is_present(folder: &Path) -> bool {
        Self::kept(folder).is_some()
    }

    /// The kernel, as a plain arm64 Image.
    #[must_use]
    pub fn image(&self, kernel: Kernel) -> PathBuf {
        self.folder.join(kernel.file())
    }

    /// Returns the kernel's header.
    ///
    /// # Errors
    /// If the file is gone or of another form.
    pub fn header(&self, kernel: Kernel) -> Result<ImageHeader, Error> {
        let path = self.image(kernel);
        let image = std::fs::read(&path).map_err(at(&path))?;
        ImageHeader::read(&image).map_err(|why| Error::Image { path, why })
    }

    /// The initial RAM file system, for both kernels and all jobs.
    #[must_use]
    pub fn initramfs(&self) -> PathBuf {
        self.folder.join(INITRAMFS)
    }

    /// Returns the packages of the set-up.
    #[must_use]
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// The packages of a folder where nothing is missing.
    fn kept(folder: &Path) -> Option<Vec<Package>> {
        let text = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
        let files = MEMBERS.iter().map(|(_, _, file)| *file);
        let files = files.chain(Kernel::ALL.map(Kernel::file));
        let all = files.into_iter().all(|file| folder.join(file).is_file());
        manifest::from_text(&text).filter(|_| all)
    }

    /// Packs the initial RAM file system; the file is left alone when nothing changes.
    fn pack(&self) -> Result<(), Error> {
        let read = |name: &str| {
            let path = self.folder.join(name);
            std::fs::read(&path).map_err(at(&path))
        };
        let archive = initramfs::build(&initramfs::Files {
            busybox: read("busybox")?,
            cyclictest: read("cyclictest")?,
            loader: read("loader")?,
            libc: read("libc")?,
            libnuma: read("libnuma")?,
        });
        let path = self.initramfs();
        if std::fs::read(&path).is_ok_and(|kept| kept == archive) {
            return Ok(());
        }
        // Under a name of its own first: another run may be reading.
        let new = self
            .folder
            .join(format!("{INITRAMFS}.{}", std::process::id()));
        std::fs::write(&new, archive).map_err(at(&new))?;
        std::fs::rename(&new, &path).map_err(at(&path))
    }
}

/// Fetches and unpacks everything; the folder appears whole or not at all.
fn fetch(folder: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let scratch = folder.with_extension(format!("new-{}", std::process::id()));
    let result = fetch_into(&scratch, say).and_then(|()| {
        // Files that another run has put there in the meantime are as good; those left of an older
        // form are not.
        if folder.exists() && !Linux::is_present(folder) {
            std::fs::remove_dir_all(folder).map_err(at(folder))?;
        }
        match std::fs::rename(scratch.join("files"), folder) {
            Err(_) if Linux::is_present(folder) => Ok(()),
            other => other.map_err(at(folder)),
        }
    });
    // A folder of its own, under the tool's: remaining files do no harm.
    let _ = std::fs::remove_dir_all(&scratch);
    result
}

fn fetch_into(scratch: &Path, say: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let files = scratch.join("files");
    std::fs::create_dir_all(&files).map_err(at(&files))?;
    let scratch = std::path::absolute(scratch).map_err(at(scratch))?;
    say("reading the package mirror's list of Debian's arm64 packages");
    let apt = Apt::new(&scratch, SUITE, ARCHITECTURE)?;
    apt.update()?;
    let mut names = Vec::new();
    for kernel in Kernel::ALL {
        names.push(apt.stands_for(kernel.package())?);
    }
    names.extend(["busybox-static", "rt-tests", "libc6", "libnuma1"].map(String::from));
    say("fetching two kernels, busybox and cyclictest (190 MB)");
    let fetched = apt.download(&names)?;
    say("unpacking them");
    for (kernel, (file, package)) in Kernel::ALL.iter().zip(&fetched) {
        let release = package.name.trim_start_matches("linux-image-");
        let member = format!("./boot/vmlinuz-{release}");
        extract(file, &package.name, &member, &files.join(kernel.file()))?;
    }
    for (name, member, file) in MEMBERS {
        let deb = fetched.iter().find(|(_, package)| package.name == *name);
        let (deb, _) = deb.expect("it is among the names above");
        extract(deb, name, member, &files.join(file))?;
    }
    let mut packages: Vec<Package> = fetched.into_iter().map(|(_, package)| package).collect();
    packages.sort();
    let path = files.join(MANIFEST);
    std::fs::write(&path, manifest::to_text(&packages)).map_err(at(&path))
}

/// Writes one member of a package into a file.
fn extract(deb: &Path, package: &str, member: &str, to: &Path) -> Result<(), Error> {
    let program = |name: &str| {
        let name = name.to_owned();
        move |_| Error::Program(name)
    };
    let mut unpack = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(deb)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(program("dpkg-deb"))?;
    let stream = unpack.stdout.take().expect("it is piped");
    let mut pick = Command::new("tar");
    pick.args([
        "--extract",
        "--to-stdout",
        "--wildcards",
        "--file=-",
        member,
    ]);
    let output = run(pick.stdin(stream), "tar");
    // It may have been cut off by a reader that had enough; tar says whether the member was there.
    let _ = unpack.wait();
    let output = output?;
    if !output.status.success() || output.stdout.is_empty() {
        return Err(Error::Content {
            package: package.to_owned(),
            member: member.to_owned(),
        });
    }
    std::fs::write(to, output.stdout).map_err(at(to))
}
