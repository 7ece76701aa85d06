//! The schedulers that are compared, with the parameters that each case gives them.
//!
//! Owns: their names, and what of a configuration is theirs. Must never know: guests.

/// A server of RTDS or SEDF, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// The period.
    pub period: u32,
    /// The budget in each.
    pub budget: u32,
    /// Whether it may have more time if no other server requests it.
    pub extra: bool,
}

/// The server of the measured guest where it shares: half of each millisecond.
pub const HALF: Server = Server {
    period: 1_000,
    budget: 500,
    extra: true,
};
/// The server of the busy guest next to it under RTDS: so little that admission succeeds, since a
/// budget that is kept until late in its period comes before the measured guest's once; its further
/// time is extra time.
pub const LITTLE: Server = Server {
    period: 10_000,
    budget: 400,
    extra: true,
};
/// RTDS's default: 4 ms in 10 ms. The busy guest's under SEDF.
pub const DEFAULT: Server = Server {
    period: 10_000,
    budget: 4_000,
    extra: true,
};

/// The windows of ARINC 653's table, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The window of the measured guest.
    pub measured: u32,
    /// That of the busy one; zero for none.
    pub busy: u32,
}

/// A policy with what a configuration says of it; what it does not say has its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// CREDIT; `ratelimit` in microseconds, if it is given.
    Credit {
        /// Whether load is balanced.
        balance: bool,
        /// The rate limit.
        ratelimit: Option<u32>,
    },
    /// CREDIT2.
    Credit2,
    /// RTDS.
    Rtds,
    /// SEDF.
    Sedf,
    /// NULL.
    Null,
    /// ARINC 653.
    Arinc653,
}

impl Policy {
    /// CREDIT with its defaults.
    pub const CREDIT: Self = Self::Credit {
        balance: true,
        ratelimit: None,
    };
    /// CREDIT without load balancing.
    pub const UNBALANCED: Self = Self::Credit {
        balance: false,
        ratelimit: None,
    };
    /// Each policy, in the order of the tables.
    pub const ALL: [Self; 7] = [
        Self::CREDIT,
        Self::UNBALANCED,
        Self::Credit2,
        Self::Rtds,
        Self::Sedf,
        Self::Null,
        Self::Arinc653,
    ];

    /// The name by which configurations know it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Credit { .. } => "credit",
            Self::Credit2 => "credit2",
            Self::Rtds => "rtds",
            Self::Sedf => "sedf",
            Self::Null => "null",
            Self::Arinc653 => "arinc653",
        }
    }

    /// Returns the name in tables, which distinguishes balancing.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Credit { balance: false, .. } => "credit-no-balance",
            other => other.word(),
        }
    }

    /// Returns whether it gives each unit a server.
    pub const fn has_servers(self) -> bool {
        matches!(self, Self::Rtds | Self::Sedf)
    }

    /// Returns whether several units can share a processor.
    pub const fn shares(self) -> bool {
        !matches!(self, Self::Null)
    }

    /// Returns whether it uses several processors at once.
    pub const fn is_for_several(self) -> bool {
        !matches!(self, Self::Arinc653)
    }
}
