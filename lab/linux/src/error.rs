//! Why there is no Linux: one line for the cause, and the hint.

use std::path::PathBuf;

/// Cause that prevents the use of Linux.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program that the set-up calls is not on this machine.
    #[error("{0} is missing, and Debian's packages are unpacked with it")]
    Program(String),
    /// The apt sources name no mirror for this machine's own suite.
    #[error(
        "no apt source of this machine names its suite {0}, so it is not known from where Debian's packages come"
    )]
    Mirror(String),
    /// Debian's keys are not on this machine.
    #[error("{} is missing, and the packages' signatures are checked with it", .0.display())]
    Keyring(PathBuf),
    /// Debian's keys on this machine are older than the suite.
    #[error("the keys of Debian's archive on this machine are too old for the suite {0}")]
    OldKeyring(String),
    /// The mirror does not answer, or not with the requested object.
    #[error("the package mirror did not give {what}: {said}")]
    Fetch {
        /// Requested object.
        what: String,
        /// Message of apt.
        said: String,
    },
    /// A package holds something else than expected.
    #[error("the package {package} has no {member}")]
    Content {
        /// The package.
        package: String,
        /// Missing member.
        member: String,
    },
    /// A kernel in a form that is not known.
    #[error("{} is no arm64 Image: {why}", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// Fault of the file.
        why: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// Cyclictest's output is not whole.
    #[error("cyclictest gave no result: {0}")]
    Output(String),
}

impl Error {
    /// Returns the hint: a command, or words.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Program(name) => {
                let package = match name.as_str() {
                    "apt-get" | "apt-cache" => {
                        return "use a machine with Debian 12 or 13: the guests are Debian's"
                            .into();
                    }
                    "dpkg-deb" => "dpkg",
                    "sha256sum" => "coreutils",
                    other => other,
                };
                format!("apt-get install {package}")
            }
            Self::Mirror(suite) => {
                format!("add the suite {suite} of Debian to the apt sources, then run this again")
            }
            Self::Keyring(_) => "apt-get update && apt-get install debian-archive-keyring".into(),
            Self::OldKeyring(_) => {
                "apt-get update && apt-get install --only-upgrade debian-archive-keyring".into()
            }
            Self::Fetch { .. } => {
                "see that `apt-get update` reaches the package mirror, then run this again".into()
            }
            Self::Content { .. } | Self::Image { .. } => {
                "fix lab/linux/src/setup.rs: Debian packs it in another way now".into()
            }
            Self::File { .. } => "see that the folder can be written and has 600 MB free".into(),
            Self::Output(_) => "read the guest's console, which is kept beside the result".into(),
        }
    }
}

/// Names the file in an error of the system's.
pub(crate) fn at(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |cause| Error::File {
        path: path.to_owned(),
        cause,
    }
}
