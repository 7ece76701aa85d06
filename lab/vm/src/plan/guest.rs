//! Owns: the places in a guest's memory, and the places of their contents in the machine.
//! Must never know: other guests.

use std::path::Path;

use taktos_abi::vm::{Channel, Description, Segment, layout};

use super::space::Space;
use super::{Content, Error, Plan, Store};
use crate::configuration::{Configuration, Partition, shown_size};
use crate::image::{Form, Image, Sources};
use crate::tree::{self, Link};

/// The alignment of a device tree and a file system in a guest's memory. A tree that is no longer
/// than this crosses no boundary of 2 MiB, which Linux requires.
const BORDER: u64 = 64 << 10;

/// A partition on its way into the plan.
pub(super) struct Guest<'a> {
    pub number: usize,
    pub configuration: &'a Configuration,
    pub source: &'a Sources,
    pub linkages: [Channel; Description::CHANNELS],
}

/// Reads the image of each partition.
pub(super) fn images(
    configuration: &Configuration,
    sources: &[Sources],
) -> Result<Vec<Image>, Error> {
    let read = |source: &Sources| Image::read(&source.kernel, layout::MEMORY);
    let images: Vec<Image> = sources.iter().map(read).collect::<Result<_, _>>()?;
    for (partition, image) in configuration.partitions.iter().zip(&images) {
        fits(partition, image)?;
    }
    Ok(images)
}

fn fits(partition: &Partition, image: &Image) -> Result<(), Error> {
    if image.at < layout::MEMORY || image.at >= layout::END {
        return Err(Error::Place {
            partition: partition.name.clone(),
            at: image.at,
        });
    }
    let end = image.at + image.extent;
    if end > layout::MEMORY + partition.memory {
        return Err(small(partition, "the image", end));
    }
    Ok(())
}

fn small(partition: &Partition, what: &'static str, end: u64) -> Error {
    let needed = (end - layout::MEMORY).next_multiple_of(2 << 20);
    Error::Small {
        partition: partition.name.clone(),
        what,
        memory: shown_size(partition.memory),
        needed: shown_size(needed),
    }
}

impl Guest<'_> {
    fn partition(&self) -> &Partition {
        &self.configuration.partitions[self.number]
    }

    /// Adds the guest: its segments to the description, what they hold to the stores.
    pub fn add(
        &self,
        image: Image,
        memory: u64,
        space: &mut Space,
        plan: &mut Plan,
    ) -> Result<(), Error> {
        let initrd = self.initrd(&image)?;
        if image.asks_debugger {
            plan.remarks.push(format!(
                "the image of `{}` is for a bare board: it asks a debugger (semihosting), which is an undefined instruction of a guest's; \
                 `taktos new NAME --guest` writes a program that ends as a guest does",
                self.partition().name
            ));
        }
        let range = initrd.map(|(_, at, bytes)| (at, at + bytes));
        let tree = self.tree(range);
        let flattened = tree.flattened();
        let after = range.map_or(image.at + image.extent, |(_, end)| end);
        let tree_at = self.tree_at(&image, after, flattened.len() as u64)?;
        let mut segments = Vec::new();
        let name = &self.partition().name;
        let content = match image.bytes {
            Some(bytes) => Content::Bytes(bytes),
            None => Content::File(self.source.kernel.clone()),
        };
        segments.push((format!("{name}-image"), content, image.length, image.at));
        if let Some((path, at, bytes)) = initrd {
            let content = Content::File(path.to_owned());
            segments.push((format!("{name}-initrd"), content, bytes, at));
        }
        let length = flattened.len() as u64;
        segments.push((
            format!("{name}-tree"),
            Content::Bytes(flattened),
            length,
            tree_at,
        ));
        for (place, (name, content, bytes, at)) in segments.into_iter().enumerate() {
            let store = Store {
                at: 0,
                name,
                content,
            };
            let store = plan.keep(space, store, bytes)?;
            let made = &mut plan.description.partitions[self.number];
            made.segments[place] = Segment { store, bytes, at };
            made.segment_count += 1;
        }
        let made = &mut plan.description.partitions[self.number];
        made.memory = memory;
        made.entry = image.entry;
        made.argument = tree_at;
        plan.trees.push(tree);
        Ok(())
    }

    /// Returns the file system, its place, and its length: after a Linux kernel.
    fn initrd(&self, image: &Image) -> Result<Option<(&Path, u64, u64)>, Error> {
        let own = self.partition().initrd.as_deref();
        let Some(path) = own.or(self.source.initrd.as_deref()) else {
            return Ok(None);
        };
        let about = std::fs::metadata(path).map_err(|cause| Error::Read {
            path: path.to_owned(),
            cause,
        })?;
        let at = (image.at + image.extent).next_multiple_of(BORDER);
        Ok(Some((path, at, about.len())))
    }

    /// Returns the place of the tree: before an image that leaves space there, as on the bare
    /// board; else at the end of memory, after all that ends at `after`.
    fn tree_at(&self, image: &Image, after: u64, length: u64) -> Result<u64, Error> {
        let partition = self.partition();
        if length > BORDER {
            return Err(small(
                partition,
                "the device tree of more than 64 KiB",
                after + length,
            ));
        }
        if image.form == Form::Elf && image.at >= layout::MEMORY + length {
            return Ok(layout::MEMORY);
        }
        let end = layout::MEMORY + partition.memory;
        let at = end - BORDER;
        match at >= after {
            true => Ok(at),
            false => Err(small(
                partition,
                "the image with its device tree",
                after + BORDER,
            )),
        }
    }

    fn tree(&self, initrd: Option<(u64, u64)>) -> tree::Node {
        let (configuration, partition) = (self.configuration, self.partition());
        let arguments = partition.arguments.as_deref();
        tree::tree(&tree::Machine {
            vcpus: partition.vcpus.len(),
            processor: configuration.machine.processor,
            memory: partition.memory,
            console: partition.console,
            arguments: arguments.unwrap_or(&self.source.arguments),
            initrd,
            seed: configuration.machine.seed,
            devices: &partition.devices,
            channels: self.links(),
            additions: &partition.additions,
        })
    }

    /// The channels that end here.
    fn links(&self) -> Vec<Link<'_>> {
        let channels = self.configuration.channels.iter().zip(&self.linkages);
        let mut links = Vec::new();
        for (number, (channel, made)) in channels.enumerate() {
            for (end, there) in (0u32..).zip(&made.ends) {
                if usize::from(there.partition) == self.number {
                    links.push(Link {
                        number,
                        name: &channel.name,
                        linkage: there.linkage,
                        bytes: channel.size,
                        end,
                    });
                }
            }
        }
        links
    }
}
