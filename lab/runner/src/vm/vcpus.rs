//! The virtual processors of the hypervisor's image, as it shows from outside which of them runs,
//! and the state of each. Must never know: the observer.

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol};
use taktos_abi::layout;
use taktos_abi::vm::Description;
use taktos_emulator::Standing;

/// The hypervisor's array of virtual processors.
const VCPUS: &str = "TAKTOS_VCPUS";
/// Symbol that it shows in the place of one if none runs.
const IDLE: &str = "TAKTOS_IDLE";

/// Their places.
#[derive(Clone, Copy, Debug)]
pub struct Vcpus {
    /// The virtual processors themselves, and the bytes that hold their states.
    pub standing: Standing,
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
        let (vcpus, count) = (symbol(VCPUS)?, Description::VCPUS as u64);
        let address = |name| Ok::<_, anyhow::Error>(symbol(name)?.address());
        Ok(Self {
            standing: Standing {
                named: (vcpus.address(), vcpus.size() / count, count),
                bytes: (
                    address(layout::VCPU_STANDING)?,
                    address(layout::VCPU_STRIDE)?,
                ),
                able: layout::VCPU_ABLE,
            },
            idle: address(IDLE)?,
        })
    }

    /// Returns the number of the virtual processor at this address, or that none runs. None if it
    /// is no word of the hypervisor's.
    pub fn whose(&self, address: u64) -> Option<Option<usize>> {
        if address == self.idle {
            return Some(None);
        }
        let (first, stride, count) = self.standing.named;
        let place = address.checked_sub(first)?;
        let number = place / stride;
        (place % stride == 0 && number < count).then_some(Some(number as usize))
    }
}
