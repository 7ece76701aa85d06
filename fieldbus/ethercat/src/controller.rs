//! Owns: the way of a segment from nothing to OP, one exchange of process data, and the way back to
//! OP of a device that has left it. Must never know: the begin of a cycle; the meaning of the data.

use crate::drive::Bus;
use crate::timers::{self, Timers};
use crate::{Settings, Wire};
use ethercrab::error::Error;
use ethercrab::subdevice_group::{CycleInfo, HasDc, NoDc, Op, PreOp, PreOpPdi};
use ethercrab::{
    DefaultLock, MainDevice, PduStorage, RegisterAddress, SubDeviceGroup, SubDeviceState,
    TxRxResponse,
};
use taktos_kernel::{Duration, Instant};

/// A segment of at most `D` devices with at most `P` bytes of process data, in one of the states
/// `S`.
pub type Group<const D: usize, const P: usize, S, DC = NoDc> =
    SubDeviceGroup<D, P, DefaultLock, S, DC>;
/// A segment with all devices found; the devices may be configured.
pub type Found<const D: usize, const P: usize> = Group<D, P, PreOp>;
/// A segment with places for all process data.
pub type Mapped<const D: usize, const P: usize> = Group<D, P, PreOpPdi>;
/// A segment that exchanges process data, with distributed clocks.
pub type Operation<const D: usize, const P: usize> = Group<D, P, Op, HasDc>;

/// Why there is no controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is one in this image already.
    Twice,
    /// The storage was used for one already.
    Storage,
}

/// Result of an exchange of process data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// How many devices took part: one for each that was read, two for each that was written.
    pub working_counter: u16,
    /// How long after the exchange began the next one is due, by the clock of the segment.
    pub next: Duration,
    /// Whether all devices are in OP.
    pub in_op: bool,
    /// The first device, by its place, that is not in OP.
    pub left: Option<usize>,
}

/// A MainDevice and its network end. Used by one thread.
pub struct Controller<W: Wire> {
    main: MainDevice<'static>,
    bus: Bus<W>,
    settings: Settings,
}

impl<W: Wire> Controller<W> {
    /// A controller on `wire`, with frames in `storage`.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn new<const N: usize, const DATA: usize>(
        storage: &'static PduStorage<N, DATA>,
        wire: W,
        settings: Settings,
    ) -> Result<Self, Refused> {
        let timers = timers::take().ok_or(Refused::Twice)?;
        let free = |(): ()| {
            Timers::release(timers);
            Refused::Storage
        };
        let (tx, rx, frames) = storage.try_split().map_err(free)?;
        Ok(Self {
            main: MainDevice::new(frames, settings.timeouts(), settings.device()),
            bus: Bus::new(wire, tx, rx, timers),
            settings,
        })
    }

    /// The network end.
    pub fn wire(&mut self) -> &mut W {
        self.bus.wire()
    }

    /// Returns the MainDevice, which the protocol's own calls on devices require.
    pub const fn main(&self) -> &MainDevice<'static> {
        &self.main
    }

    /// Returns the number of frames that came after the wait for them had ended.
    pub const fn strays(&self) -> u32 {
        self.bus.strays()
    }

    /// Finds the devices, names them by addresses, measures the delays between them, aligns their
    /// clocks, and brings them to PRE-OP. Blocks for some tens of milliseconds.
    ///
    /// # Errors
    /// Errors of the protocol; a time-out if no device answers.
    pub fn find<const D: usize, const P: usize>(&mut self) -> Result<Found<D, P>, Error> {
        let timers = self.bus.timers();
        let find = self.main.init_single_group::<D, P>(|| timers.nanos());
        self.bus.complete(find)
    }

    /// Brings a segment that was found to the exchange of process data: process data mapped, SYNC0
    /// on for devices with `DcSync::Sync0`, SAFE-OP, and OP requested. Devices reach OP while
    /// exchanges continue: [`Answer::in_op`]. Blocks for some milliseconds.
    ///
    /// # Errors
    /// Errors that the protocol finds.
    pub fn operate<const D: usize, const P: usize>(
        &mut self,
        found: Found<D, P>,
        told: impl FnOnce(&Mapped<D, P>, &MainDevice<'static>),
    ) -> Result<Operation<D, P>, Error> {
        let Self {
            main,
            bus,
            settings,
        } = self;
        let mapped = bus.complete(found.into_pre_op_pdi(main))?;
        told(&mapped, main);
        let clocked = bus.complete(mapped.configure_dc_sync(main, settings.clocks()))?;
        let safe = bus.complete(clocked.into_safe_op(main))?;
        bus.complete(safe.request_into_op(main))
    }

    /// Exchanges process data: outputs go out, inputs come in. Blocks while the frames are on the
    /// wire, and for [`Settings::patience`] at most.
    ///
    /// # Errors
    /// A time-out where a frame was lost: inputs are as before, outputs may have reached the
    /// devices.
    pub fn exchange<const D: usize, const P: usize>(
        &mut self,
        segment: &Operation<D, P>,
    ) -> Result<Answer, Error> {
        let answer = self.bus.complete(segment.tx_rx_dc(&self.main))?;
        Ok(answer.into())
    }

    /// Takes one step of a device that has left OP towards OP. An error that the device indicates
    /// is acknowledged; without one, OP is requested from SAFE-OP, and SAFE-OP from a lower state.
    /// To be called once in some cycles while [`Answer::left`] names the device. Needs two frames,
    /// and blocks while they are on the wire.
    ///
    /// # Errors
    /// Errors of the protocol; a time-out if the device is gone.
    pub fn recover<const D: usize, const P: usize>(
        &mut self,
        segment: &Operation<D, P>,
        device: usize,
    ) -> Result<(), Error> {
        let Self { main, bus, .. } = self;
        let device = segment.subdevice(main, device)?;
        let status: u16 = bus.complete(device.register_read(RegisterAddress::AlStatus))?;
        let state = status & STATE;
        let asked = match status & ERROR {
            0 if state == SAFE_OP => OP,
            0 => SAFE_OP,
            _ => state | ACKNOWLEDGE,
        };
        bus.complete(device.register_write(RegisterAddress::AlControl, asked))?;
        Ok(())
    }

    /// Returns the time of the network end's clock.
    pub fn now(&mut self) -> Instant {
        self.bus.wire().now()
    }
}

/// States in the AL registers, the error that a device indicates and its acknowledgement
/// (ETG.1000.6, 5.3.1 and 5.3.2).
const STATE: u16 = 0x0F;
const SAFE_OP: u16 = 0x04;
const OP: u16 = 0x08;
const ERROR: u16 = 0x10;
const ACKNOWLEDGE: u16 = 0x10;

impl<const D: usize> From<TxRxResponse<D, CycleInfo>> for Answer {
    fn from(answer: TxRxResponse<D, CycleInfo>) -> Self {
        let states = &answer.subdevice_states;
        let left = states.iter().position(|state| *state != SubDeviceState::Op);
        let next = answer.extra.next_cycle_wait.as_nanos();
        Self {
            working_counter: answer.working_counter,
            next: Duration::from_nanos(u64::try_from(next).unwrap_or(u64::MAX)),
            in_op: left.is_none(),
            left,
        }
    }
}
