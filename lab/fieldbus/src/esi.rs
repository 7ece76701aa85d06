//! An ESI file: a vendor and its devices (ETG.2000, "EtherCATInfo").
//!
//! Owns: the file's frame. Must never know: the contents of a device.

use roxmltree::{Document, ParsingOptions};

use crate::device::Device;
use crate::error::EsiError;
use crate::xml::{child, children, error, need, number_of};

/// Contents of an ESI file.
#[derive(Clone, Debug, PartialEq)]
pub struct Esi {
    /// The maker's number.
    pub vendor: u32,
    /// Its devices, in the file's order.
    pub devices: Vec<Device>,
}

impl Esi {
    /// Reads the text of an ESI file.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(file: &str) -> Result<Self, EsiError> {
        let options = ParsingOptions {
            allow_dtd: false,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(file, options).map_err(|problem| EsiError {
            line: problem.pos().row.max(1),
            cause: format!("no XML: {problem}"),
            hint: "fix that line".into(),
        })?;
        let root = document.root_element();
        if !root.has_tag_name("EtherCATInfo") {
            let name = root.tag_name().name();
            return Err(error(
                root,
                format!("begins with <{name}>, not with <EtherCATInfo>"),
                "name an ESI file",
            ));
        }
        let vendor = number_of(need(need(root, "Vendor")?, "Id")?)?;
        let descriptions = need(root, "Descriptions")?;
        let devices = child(descriptions, "Devices")
            .into_iter()
            .flat_map(|devices| children(devices, "Device"))
            .map(|device| Device::read(device, vendor))
            .collect::<Result<_, _>>()?;
        Ok(Self { vendor, devices })
    }

    /// The device with this product code, or this type (`EL2008`), and this revision; without one,
    /// the newest.
    pub fn device(&self, product: &str, revision: Option<u32>) -> Option<&Device> {
        let code = crate::number::number(product);
        let is_it = |device: &&Device| {
            (code == Some(device.product) || device.type_name == product)
                && revision.is_none_or(|revision| revision == device.revision)
        };
        let found = self.devices.iter().filter(is_it);
        found.max_by_key(|device| device.revision)
    }
}
