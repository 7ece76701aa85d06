//! Owns: the form in which a fault of a processor is reported to the kernel.

/// The cause of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The guard below the thread's stack was touched.
    StackOverflow,
    /// A load or store that the memory map forbids.
    DataAccess,
    /// An instruction was fetched from where none may be.
    InstructionAccess,
    /// An instruction that the processor does not know or may not run here.
    UndefinedInstruction,
    /// A division by zero or an access that is not aligned.
    Arithmetic,
    /// The bus answered with an error.
    Bus,
    /// The program gave up (a failed assertion).
    Panic,
    /// An interrupt handler called the kernel that must not.
    ForbiddenCall,
    /// Something else.
    Other,
}

impl Cause {
    /// The cause in words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::StackOverflow => "stack overflow",
            Self::DataAccess => "forbidden data access",
            Self::InstructionAccess => "forbidden instruction fetch",
            Self::UndefinedInstruction => "undefined instruction",
            Self::Arithmetic => "division by zero or unaligned access",
            Self::Bus => "bus error",
            Self::Panic => "panic",
            Self::ForbiddenCall => "forbidden call",
            Self::Other => "fault of another kind",
        }
    }
}

/// A fault, as a machine reports it.
pub struct Fault<'a> {
    /// The cause of the fault.
    pub cause: Cause,
    /// The address concerned, where the processor knows it.
    pub address: Option<usize>,
    /// The values of the registers at the fault.
    pub values: &'a [usize],
    /// The names of the registers in the architecture's manual: [`NAME_LENGTH`] characters each, in
    /// the order of the values.
    pub names: &'static str,
    /// The register that describes the fault itself, unless it is among the values: its name in the
    /// manual, and its value.
    pub status: Option<&'a (&'static str, usize)>,
    /// Whether it happened in an interrupt handler rather than in the current thread.
    pub in_interrupt: bool,
}

/// The length of a register's name, filled up with blanks.
pub const NAME_LENGTH: usize = 4;
