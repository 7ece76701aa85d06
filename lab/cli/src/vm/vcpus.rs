//! The virtual processors of the hypervisor's image, as it shows from outside which of them runs.
//! Must never know: who looks at it.

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol};
use taktos_abi::vm::Description;

/// The hypervisor's array of virtual processors.
const VCPUS: &str = "TAKTOS_VCPUS";
/// What it shows in place of one when none runs.
const IDLE: &str = "TAKTOS_IDLE";

/// Where they lie.
#[derive(Clone, Copy, Debug)]
pub struct Vcpus {
    first: u64,
    stride: u64,
    idle: u64,
}

impl Vcpus {
    /// Finds them in the image.
    ///
    /// # Errors
    /// When it is no hypervisor's.
    pub fn of(file: &object::File<'_>) -> Result<Self> {
        let symbol = |name| {
            let found = file.symbol_by_name(name);
            found.with_context(|| format!("the hypervisor has no {name}"))
        };
        let (vcpus, idle) = (symbol(VCPUS)?, symbol(IDLE)?);
        Ok(Self {
            first: vcpus.address(),
            stride: vcpus.size() / Description::VCPUS as u64,
            idle: idle.address(),
        })
    }

    /// The number of the virtual processor that lies there, or that none runs. None for what is no word of the hypervisor's.
    pub fn whose(&self, address: u64) -> Option<Option<usize>> {
        if address == self.idle {
            return Some(None);
        }
        let place = address.checked_sub(self.first)?;
        let number = (place / self.stride) as usize;
        (place % self.stride == 0 && number < Description::VCPUS).then_some(Some(number))
    }
}
