//! Owns: lists of units, linked by index through the caller's records.
//! Must never know: why a unit is at its place.

use super::Steps;
use super::chain::{Chain, Link, Linked};
use crate::vcpu::Vcpu;

/// A unit's place in one list.
pub(crate) type Place = Link<u16>;

/// The name of no list.
const NO_LIST: u16 = 0;

impl Place {
    /// In no list.
    pub(crate) const OUT: Self = Self::unlinked(NO_LIST);
}

/// A list of units of kind `KIND`: a record is in at most one list of each kind.
///
/// Taking out, and putting in at an end, are a fixed number of steps. Putting in
/// by order follows one link for each entry that stays before the new one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<const KIND: usize> {
    chain: Chain<KIND>,
    name: u16,
    /// Links followed and units compared.
    pub(crate) steps: Steps,
}

impl<const KIND: usize> List<KIND> {
    /// An empty list called `name`, from 1, which no other list of that kind is
    /// over the same records.
    pub(crate) const fn new(name: u16) -> Self {
        Self {
            chain: Chain::EMPTY,
            name,
            steps: Steps::NONE,
        }
    }

    /// The first unit.
    #[inline]
    pub(crate) fn first(&self) -> Option<Vcpu> {
        self.chain.first().map(unit)
    }

    /// Whether `vcpu` is in this list.
    #[inline]
    pub(crate) fn has<T: Linked<KIND, Name = u16>>(&self, records: &[T], vcpu: Vcpu) -> bool {
        records[vcpu.index()].link().name == self.name
    }

    /// Returns the unit after `vcpu`, which is in this list.
    #[inline]
    pub(crate) fn after<T: Linked<KIND>>(&self, records: &[T], vcpu: Vcpu) -> Option<Vcpu> {
        Chain::next(records, vcpu.index()).map(unit)
    }

    /// The units from the first on.
    pub(crate) fn iter<'r, T: Linked<KIND>>(
        &self,
        records: &'r [T],
    ) -> impl Iterator<Item = Vcpu> + use<'r, T, KIND> {
        self.chain.iter(records).map(unit)
    }

    /// Puts `vcpu`, which is in no list of this kind, before the first entry that `beats` says it
    /// beats: after its equals.
    pub(crate) fn put<T: Linked<KIND, Name = u16>>(
        &mut self,
        records: &mut [T],
        vcpu: Vcpu,
        beats: impl Fn(&T, &T) -> bool,
    ) {
        let new = &records[vcpu.index()];
        let next = (self.chain).place_of(records, &mut self.steps, |other| beats(new, other));
        self.put_before(records, vcpu, next);
    }

    /// Puts `vcpu`, which is in no list of this kind, at the end.
    pub(crate) fn append<T: Linked<KIND, Name = u16>>(&mut self, records: &mut [T], vcpu: Vcpu) {
        self.put_before(records, vcpu, None);
    }

    fn put_before<T: Linked<KIND, Name = u16>>(
        &mut self,
        records: &mut [T],
        vcpu: Vcpu,
        next: Option<usize>,
    ) {
        self.steps.one();
        let place = records[vcpu.index()].link_mut();
        debug_assert!(place.name == NO_LIST);
        place.name = self.name;
        self.chain.insert_before(records, vcpu.index(), next);
    }

    /// Takes `vcpu` out of this list; says whether it was in it.
    pub(crate) fn take<T: Linked<KIND, Name = u16>>(
        &mut self,
        records: &mut [T],
        vcpu: Vcpu,
    ) -> bool {
        self.steps.one();
        let place = records[vcpu.index()].link_mut();
        if place.name != self.name {
            return false;
        }
        place.name = NO_LIST;
        self.chain.remove(records, vcpu.index());
        true
    }

    /// Whether forward and backward links agree, and all entries say they are here.
    pub(crate) fn is_sound<T: Linked<KIND, Name = u16>>(&self, records: &[T]) -> bool {
        self.chain.is_sound(records) && self.iter(records).all(|vcpu| self.has(records, vcpu))
    }
}

const fn unit(index: usize) -> Vcpu {
    Vcpu::new(index as u16)
}

#[cfg(test)]
mod tests {
    use super::super::linked;
    use super::*;

    #[derive(Clone, Copy)]
    struct Record {
        key: u32,
        links: [Place; 1],
    }

    linked!(Record, u16);

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
            links: [Place::OUT],
        });
        let mut list = List::<0>::new(1);
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
            links: [Place::OUT],
        }; 3];
        let mut list = List::<0>::new(1);
        for index in 0..3 {
            list.append(&mut records, Vcpu::new(index));
        }
        records[2].links[0].previous = 0;
        assert!(!list.is_sound(&records));
    }
}
