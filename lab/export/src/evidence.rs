//! Where a figure comes from: the class that every figure carries.

use serde::Serialize;

/// How a figure came to be. Classes are never mixed in one column unsaid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Virtual time of a simulation, with a cost model.
    Simulated,
    /// An exact count of executed instructions.
    Emulated,
    /// Cycles, from a processor's published timing tables applied to the
    /// executed instructions.
    Modelled,
    /// A counter on a board.
    Hardware,
}

impl Evidence {
    /// Returns the word next to a figure.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Emulated => "emulated",
            Self::Modelled => "modelled",
            Self::Hardware => "hardware",
        }
    }

    /// Returns the statement of what the class guarantees, for reports.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Simulated => "Virtual time of the simulator, with a cost model.",
            Self::Emulated => {
                "An exact count of the instructions that the emulator executed in the shipped image."
            }
            Self::Modelled => {
                "Cycles from the processor's published timing tables, applied to the executed \
                 instructions: right for comparing under one model, no promise about silicon."
            }
            Self::Hardware => "A counter read on a board.",
        }
    }
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.word())
    }
}

/// Evidence of a column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The column holds no measured figure.
    Label,
    /// Our own figure, of this class.
    Ours(Evidence),
    /// A figure of others; the words state its source and its class.
    Theirs(String),
}

impl Basis {
    /// The words under the column's name; empty for a label.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Label => "",
            Self::Ours(evidence) => evidence.word(),
            Self::Theirs(words) => words,
        }
    }
}
