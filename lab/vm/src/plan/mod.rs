//! Owns: a machine that can be started: its description, what is loaded where.
//! Must never know: the form of its configuration; the building of images.

mod describe;
mod files;
mod guest;
mod line;
mod shown;
mod space;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::PathBuf;

use taktos_abi::vm::{Description, EncodeError, layout};

pub use files::Loaded;

use crate::configuration::{Configuration, Machine};
use crate::image::Sources;
use crate::tree::Node;
use space::Space;

/// Why there is no plan; [`Error::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{}: cannot be read: {cause}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {cause}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A file is no image, or not for this machine.
    #[error("{}: {why}", .path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
        /// Hint for a fix.
        hint: &'static str,
    },
    /// A partition is too small for what it runs.
    #[error("partition {partition}: {what} does not fit into its memory of {memory}")]
    Small {
        /// The partition.
        partition: String,
        /// Part that does not fit.
        what: &'static str,
        /// Its memory.
        memory: String,
        /// Memory that it needs.
        needed: String,
    },
    /// The place of an image is outside its partition's memory.
    #[error("partition {partition}: its image lies at {at:#x}, and memory begins at 0x40000000")]
    Place {
        /// The partition.
        partition: String,
        /// The place of the image.
        at: u64,
    },
    /// The machine is too small.
    #[error("there is no room for {what} ({bytes})")]
    Full {
        /// Part that does not fit.
        what: String,
        /// How long it is.
        bytes: String,
    },
    /// As many images as partitions have to be given.
    #[error("{given} images for {wanted} partitions")]
    Sources {
        /// How many there are.
        given: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// The description is refused.
    #[error("the description is refused: {0}")]
    Description(#[from] EncodeError),
}

impl Error {
    /// Returns the hint for a fix, in one line.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Read { .. } => "name a file that is there and can be read".into(),
            Self::Write { .. } => "name another place".into(),
            Self::Image { hint, .. } => (*hint).into(),
            Self::Small { needed, .. } => format!("give it {needed} or more"),
            Self::Place { .. } => "link it to run at 0x40000000 or above".into(),
            Self::Full { .. } => "give [machine] more memory".into(),
            Self::Sources { .. } => "give one each".into(),
            Self::Description(_) => "fix the configuration".into(),
        }
    }
}

/// A machine that can be started.
#[derive(Debug)]
pub struct Plan {
    /// Description for the hypervisor.
    pub description: Description,
    /// The guests' device trees, in the order of the partitions.
    pub trees: Vec<Node>,
    /// Places in the machine's memory, by address.
    pub places: Vec<Place>,
    /// Remarks on the images, a line each.
    pub remarks: Vec<String>,
    machine: Machine,
    names: Vec<String>,
    stores: Vec<Store>,
}

/// A part of the machine's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where it begins.
    pub at: u64,
    /// How long it is.
    pub bytes: u64,
    /// Contents of the place.
    pub what: String,
}

/// Bytes that are loaded before the machine starts.
#[derive(Debug)]
struct Store {
    at: u64,
    /// Name of the file that holds them.
    name: String,
    content: Content,
}

#[derive(Debug, PartialEq, Eq)]
enum Content {
    /// All of this file.
    File(PathBuf),
    /// These.
    Bytes(Vec<u8>),
}

impl Plan {
    /// Lays out the machine of a configuration that [`Configuration::check`] has passed.
    /// `sources` says for each partition where its image is. Equal files give the same plan.
    ///
    /// # Errors
    /// [`Error`]: a file is missing or no image, something does not fit.
    pub fn new(configuration: &Configuration, sources: &[Sources]) -> Result<Self, Error> {
        let wanted = configuration.partitions.len();
        if sources.len() != wanted {
            let given = sources.len();
            return Err(Error::Sources { given, wanted });
        }
        let mut space = Space::new(layout::MACHINE_MEMORY + configuration.machine.memory);
        let memory = space.partitions(&configuration.partitions)?;
        let mut description = describe::machine(configuration);
        let images = guest::images(configuration, sources)?;
        describe::channels(configuration, &images, &mut space, &mut description)?;
        let mut plan = Self {
            description,
            trees: Vec::new(),
            places: Vec::new(),
            remarks: Vec::new(),
            machine: configuration.machine.clone(),
            names: configuration
                .partitions
                .iter()
                .map(|one| one.name.clone())
                .collect(),
            stores: Vec::new(),
        };
        for (number, image) in images.into_iter().enumerate() {
            let guest = guest::Guest {
                number,
                configuration,
                source: &sources[number],
                linkages: plan.description.channels,
            };
            guest.add(image, memory[number], &mut space, &mut plan)?;
        }
        plan.places = space.places();
        let mut room = vec![0; layout::DESCRIPTION_BYTES as usize];
        let length = plan.description.encode(&mut room)?;
        room.truncate(length);
        plan.stores.push(Store {
            at: layout::DESCRIPTION,
            name: "description".into(),
            content: Content::Bytes(room),
        });
        Ok(plan)
    }

    /// Returns where the hypervisor has its memory in the machine.
    #[must_use]
    pub const fn hypervisor_memory() -> Range<u64> {
        layout::MACHINE_MEMORY..layout::PARTITIONS
    }

    /// Returns where in the machine the memory of each partition is, and its offset from the
    /// guest's own addresses.
    pub fn memories(&self) -> impl Iterator<Item = (Range<u64>, u64)> {
        let partitions = self.description.partitions().iter();
        partitions.map(|partition| {
            let start = partition.memory;
            let memory = start..start + partition.bytes;
            (memory, start - layout::MEMORY)
        })
    }

    /// Stores bytes in the machine, and returns their place; equal bytes are stored once.
    fn keep(&mut self, space: &mut Space, store: Store, bytes: u64) -> Result<u64, Error> {
        let same = self
            .stores
            .iter()
            .find(|other| other.content == store.content);
        if let Some(other) = same {
            return Ok(other.at);
        }
        let at = space.place(bytes, space::PAGE, format!("store: {}", store.name))?;
        self.stores.push(Store { at, ..store });
        Ok(at)
    }
}
