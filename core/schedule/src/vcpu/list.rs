//! Owns: lists of units, linked by index through the caller's records.
//! Must never know: why a unit stands where it does.

use super::Vcpu;
use super::steps::Steps;

/// A unit's place in one list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    next: u16,
    previous: u16,
    /// The name of the list that it is in; 0 for none.
    list: u16,
}

/// Ends a list.
const NONE: u16 = u16::MAX;

impl Place {
    /// In no list.
    pub(crate) const OUT: Self = Self {
        next: NONE,
        previous: NONE,
        list: 0,
    };
}

/// Records with places for the lists of kind `KIND`: a record is in at most one
/// list of each kind.
pub(crate) trait Places<const KIND: usize> {
    /// The place in the lists of this kind.
    fn place(&self) -> &Place;
    /// The same, to change it.
    fn place_mut(&mut self) -> &mut Place;
}

/// A list of units of kind `KIND`.
///
/// Taking out, and putting in at an end, are a fixed number of steps. Putting in
/// by order follows one link for each entry that stays before the new one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<const KIND: usize> {
    head: u16,
    tail: u16,
    name: u16,
    /// Links followed and units compared.
    pub(crate) steps: Steps,
}

impl<const KIND: usize> List<KIND> {
    /// An empty list called `name`, from 1, which no other list of that kind is
    /// over the same records.
    pub(crate) const fn new(name: u16) -> Self {
        Self {
            head: NONE,
            tail: NONE,
            name,
            steps: Steps::NONE,
        }
    }

    /// The first unit.
    #[inline]
    pub(crate) const fn first(&self) -> Option<Vcpu> {
        unit(self.head)
    }

    /// Whether `vcpu` is in this list.
    #[inline]
    pub(crate) fn has<T: Places<KIND>>(&self, records: &[T], vcpu: Vcpu) -> bool {
        records[vcpu.index()].place().list == self.name
    }

    /// The unit behind `vcpu`, which is in this list.
    #[inline]
    pub(crate) fn after<T: Places<KIND>>(&self, records: &[T], vcpu: Vcpu) -> Option<Vcpu> {
        unit(records[vcpu.index()].place().next)
    }

    /// The units from the first on.
    pub(crate) fn iter<'r, T: Places<KIND>>(
        &self,
        records: &'r [T],
    ) -> impl Iterator<Item = Vcpu> + use<'r, T, KIND> {
        core::iter::successors(self.first(), move |vcpu| {
            unit(records[vcpu.index()].place().next)
        })
    }

    /// Puts `vcpu`, which is in no list of this kind, before the first entry that
    /// `beats` says it beats: behind its equals.
    pub(crate) fn put<T: Places<KIND>>(
        &mut self,
        records: &mut [T],
        vcpu: Vcpu,
        beats: impl Fn(&T, &T) -> bool,
    ) {
        let mut next = self.head;
        while next != NONE && !beats(&records[vcpu.index()], &records[usize::from(next)]) {
            next = records[usize::from(next)].place().next;
            self.steps.one();
        }
        self.put_before(records, vcpu, next);
    }

    /// Puts `vcpu`, which is in no list of this kind, at the end.
    pub(crate) fn append<T: Places<KIND>>(&mut self, records: &mut [T], vcpu: Vcpu) {
        self.put_before(records, vcpu, NONE);
    }

    fn put_before<T: Places<KIND>>(&mut self, records: &mut [T], vcpu: Vcpu, next: u16) {
        self.steps.one();
        let id = vcpu.index() as u16;
        let previous = match next {
            NONE => self.tail,
            _ => records[usize::from(next)].place().previous,
        };
        debug_assert!(records[vcpu.index()].place().list == 0);
        *records[vcpu.index()].place_mut() = Place {
            next,
            previous,
            list: self.name,
        };
        self.join(records, previous, id, next);
    }

    /// Makes `id` stand between `previous` and `next`.
    fn join<T: Places<KIND>>(&mut self, records: &mut [T], previous: u16, id: u16, next: u16) {
        match previous {
            NONE => self.head = id,
            _ => records[usize::from(previous)].place_mut().next = id,
        }
        match next {
            NONE => self.tail = id,
            _ => records[usize::from(next)].place_mut().previous = id,
        }
    }

    /// Takes `vcpu` out of this list; says whether it was in it.
    pub(crate) fn take<T: Places<KIND>>(&mut self, records: &mut [T], vcpu: Vcpu) -> bool {
        self.steps.one();
        let place = *records[vcpu.index()].place();
        if place.list != self.name {
            return false;
        }
        match place.previous {
            NONE => self.head = place.next,
            before => records[usize::from(before)].place_mut().next = place.next,
        }
        match place.next {
            NONE => self.tail = place.previous,
            behind => records[usize::from(behind)].place_mut().previous = place.previous,
        }
        *records[vcpu.index()].place_mut() = Place::OUT;
        true
    }

    /// Whether forward and backward links agree, and all entries say they are here.
    pub(crate) fn is_sound<T: Places<KIND>>(&self, records: &[T]) -> bool {
        let mut previous = NONE;
        let mut count = 0;
        let mut next = self.head;
        while next != NONE {
            let place = records[usize::from(next)].place();
            if place.previous != previous || place.list != self.name || count == records.len() {
                return false;
            }
            previous = next;
            next = place.next;
            count += 1;
        }
        self.tail == previous
    }
}

const fn unit(id: u16) -> Option<Vcpu> {
    match id {
        NONE => None,
        id => Some(Vcpu::new(id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Record {
        key: u32,
        place: Place,
    }

    impl Places<0> for Record {
        fn place(&self) -> &Place {
            &self.place
        }
        fn place_mut(&mut self) -> &mut Place {
            &mut self.place
        }
    }

    fn keys(records: &[Record], list: &List<0>) -> [u32; 4] {
        let mut keys = [0; 4];
        for (slot, vcpu) in keys.iter_mut().zip(list.iter(records)) {
            *slot = vcpu.index() as u32;
        }
        keys
    }

    #[test]
    fn equals_stand_in_the_order_of_their_coming() {
        let mut records = [5, 3, 5, 1].map(|key| Record {
            key,
            place: Place::OUT,
        });
        let mut list = List::new(1);
        for index in 0..4 {
            list.put(&mut records, Vcpu::new(index), |a, b| a.key < b.key);
        }
        assert_eq!(keys(&records, &list), [3, 1, 0, 2]);
        assert!(list.is_sound(&records));
        assert!(list.take(&mut records, Vcpu::new(1)));
        assert!(!list.take(&mut records, Vcpu::new(1)));
        list.append(&mut records, Vcpu::new(1));
        assert_eq!(keys(&records, &list), [3, 0, 2, 1]);
        assert!(list.is_sound(&records));
    }

    #[test]
    fn a_broken_link_is_found() {
        let mut records = [Record {
            key: 0,
            place: Place::OUT,
        }; 3];
        let mut list = List::new(1);
        for index in 0..3 {
            list.append(&mut records, Vcpu::new(index));
        }
        records[2].place.previous = 0;
        assert!(!list.is_sound(&records));
    }
}
