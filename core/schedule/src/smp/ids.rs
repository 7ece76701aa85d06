//! Owns: what threads, instances and locks are called.
//! Must never know: what they are.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $repr:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        #[repr(transparent)]
        pub struct $name(pub(crate) $repr);

        impl $name {
            /// The one in row `index` of its table; none if no table can have that row.
            pub const fn new(index: usize) -> Option<Self> {
                if index < <$repr>::MAX as usize {
                    Some(Self(index as $repr))
                } else {
                    None
                }
            }

            /// The one in row `row`, of which a table has nothing if that is the last number.
            #[inline(always)]
            pub const fn of_row(row: $repr) -> Self {
                Self(row)
            }

            /// The row in its table, from 0.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A thread: a row of the table of threads, below 65,535. The last rows are the idle threads.
    Thread, u16
}
id! {
    /// A scheduler instance (the scheduler of one cluster): a row of the table of instances, below
    /// 64.
    Instance, u8
}
id! {
    /// A lock: a row of the table of locks, below 65,535.
    Lock, u16
}

/// Within tables: no thread, no node.
pub(crate) const NONE: u16 = u16::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_is_reserved() {
        assert_eq!(Thread::new(65_534).map(Thread::index), Some(65_534));
        assert_eq!(Thread::new(65_535), None);
        assert_eq!(Instance::new(255), None);
    }
}
