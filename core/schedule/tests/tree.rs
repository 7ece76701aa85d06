//! The balanced tree against a plain list in which equals keep their order, by all ways in and out.

use proptest::prelude::*;
use std::cell::Cell;
use taktos_schedule::{Side, Tree, TreeLinks};

const MEMBERS: usize = 24;

#[derive(Default)]
struct Node {
    key: Cell<u64>,
    links: [Cell<Option<usize>>; 2],
    above: Cell<Option<usize>>,
    rank: Cell<u8>,
}

struct Table(Vec<Node>);

impl<'t> TreeLinks for &'t Table {
    type Id = usize;
    type Key = u64;
    type Node = &'t Node;
    type Link = &'t Cell<Option<usize>>;

    fn key(&self, id: usize) -> u64 {
        self.0[id].key.get()
    }
    fn node(&self, id: usize) -> &'t Node {
        &self.0[id]
    }
    fn link(&self, node: &'t Node, side: Side) -> Self::Link {
        &node.links[usize::from(side == Side::Right)]
    }
    fn follow(&self, link: Self::Link) -> Option<usize> {
        link.get()
    }
    fn set(&self, link: Self::Link, to: Option<usize>) {
        link.set(to);
    }
    fn above(&self, node: &'t Node) -> Option<usize> {
        node.above.get()
    }
    fn set_above(&self, node: &'t Node, above: Option<usize>) {
        node.above.set(above);
    }
    fn rank(&self, node: &'t Node) -> u8 {
        node.rank.get()
    }
    fn set_rank(&self, node: &'t Node, rank: u8) {
        node.rank.set(rank);
    }
}

impl Table {
    /// Checks the invariants of the tree below `id`, and returns its height.
    fn height(&self, id: Option<usize>, above: Option<usize>) -> u8 {
        let Some(id) = id else { return 0 };
        let node = &self.0[id];
        assert_eq!(node.above.get(), above, "a child knows its parent");
        let [left, right] = [0, 1].map(|side| self.height(node.links[side].get(), Some(id)));
        assert!(left.abs_diff(right) <= 1, "neither side is much higher");
        assert_eq!(
            node.rank.get(),
            left.max(right) + 1,
            "the rank is the height"
        );
        node.rank.get()
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Append(usize, u64),
    Prepend(usize, u64),
    PushFront(usize),
    Exchange(usize),
    Remove(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    // Few keys, so that there are always equals.
    prop_oneof![
        3 => (0..MEMBERS, 1..8u64).prop_map(|(id, key)| Operation::Append(id, key)),
        2 => (0..MEMBERS, 1..8u64).prop_map(|(id, key)| Operation::Prepend(id, key)),
        1 => (0..MEMBERS).prop_map(Operation::PushFront),
        2 => (0..MEMBERS).prop_map(Operation::Exchange),
        2 => (0..MEMBERS).prop_map(Operation::Remove),
    ]
}

fn in_front(list: &[usize], table: &Table, key: u64) -> usize {
    list.partition_point(|other| table.0[*other].key.get() < key)
}

fn behind(list: &[usize], table: &Table, key: u64) -> usize {
    list.partition_point(|other| table.0[*other].key.get() <= key)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 512 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]
    #[test]
    fn members_stand_as_in_a_list(operations in prop::collection::vec(operation(), 0..300)) {
        let table = Table((0..MEMBERS).map(|_| Node::default()).collect());
        let links = &table;
        let tree = Tree::EMPTY;
        let mut list: Vec<usize> = Vec::new();
        for operation in &operations {
            match *operation {
                Operation::Append(id, key) if !list.contains(&id) => {
                    table.0[id].key.set(key);
                    list.insert(behind(&list, &table, key), id);
                    tree.append(&links, id);
                }
                Operation::Prepend(id, key) if !list.contains(&id) => {
                    table.0[id].key.set(key);
                    list.insert(in_front(&list, &table, key), id);
                    tree.prepend(&links, id);
                }
                Operation::PushFront(id) if !list.contains(&id) => {
                    let key = list.first().map_or(4, |first| table.0[*first].key.get());
                    table.0[id].key.set(key - key % 2);
                    list.insert(0, id);
                    tree.push_front(&links, id);
                }
                Operation::Exchange(id) if !list.contains(&id) && !list.is_empty() => {
                    let first = list.remove(0);
                    let key = table.0[first].key.get();
                    table.0[id].key.set(key);
                    list.insert(behind(&list, &table, key), id);
                    tree.exchange(&links, first, id);
                    prop_assert_eq!(table.0[first].rank.get(), 0);
                }
                Operation::Remove(id) => {
                    if let Some(place) = list.iter().position(|other| *other == id) {
                        list.remove(place);
                        tree.remove(&links, id);
                        prop_assert_eq!(table.0[id].rank.get(), 0);
                    }
                }
                _ => {}
            }
            let mut all = Vec::new();
            tree.for_each(&links, |id| all.push(id));
            prop_assert_eq!(&all, &list);
            prop_assert_eq!(tree.first(), list.first().copied());
            let mut top = tree.first();
            while let Some(above) = top.and_then(|top| table.0[top].above.get()) {
                top = Some(above);
            }
            table.height(top, None);
        }
    }
}
