//! Dense ids: positions in the tables of one pack. An id of one pack means nothing in another.

use smallvec::SmallVec;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u16);
        impl $name {
            /// The position in its table.
            #[must_use]
            pub fn index(self) -> usize {
                usize::from(self.0)
            }
            /// The id at a position.
            ///
            /// # Panics
            /// When the table holds more than 65,535 entries, which loading refuses.
            #[must_use]
            pub fn at(index: usize) -> Self {
                Self(u16::try_from(index).expect("loading bounds every table to 65,535 entries"))
            }
        }
    )*};
}

ids! {
    /// A frame, a position in [`Pack::frames`](super::Pack::frames).
    FrameId;
    /// A field of a frame: its place in the dense state, a position in [`Pack::slots`](super::Pack::slots).
    Slot;
    /// A name under `input`: a payload field, a signal or a derived signal, a position in [`Pack::inputs`](super::Pack::inputs).
    InputId;
    /// A name under `outcome`: a response field of some port, a position in [`Pack::outcomes`](super::Pack::outcomes).
    OutcomeId;
    /// A name under `outcome.kept`, a position in [`Pack::kept`](super::Pack::kept).
    KeptId;
    /// An event, a position in [`Pack::events`](super::Pack::events).
    EventId;
    /// A port, a position in [`Pack::ports`](super::Pack::ports).
    PortId;
    /// A message, a position in [`Pack::messages`](super::Pack::messages).
    MessageId;
    /// An answer mode, a position in [`Pack::modes`](super::Pack::modes).
    ModeId;
    /// An enum, a position in [`Pack::enums`](super::Pack::enums).
    EnumId;
    /// A table, a position in [`Pack::tables`](super::Pack::tables).
    TableId;
    /// A record type, a position in [`Pack::records`](super::Pack::records).
    RecordId;
    /// A transition class, a position in [`Pack::classes`](super::Pack::classes).
    ClassId;
}

/// A set of frames: one bit a frame. The sets of a pack form a lattice under `union`, `intersection` and `minus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FrameSet(pub u64);

impl FrameSet {
    /// The most frames a pack may have.
    pub const MAX: usize = 64;
    /// No frame.
    pub const EMPTY: Self = Self(0);

    /// The set of one frame.
    #[must_use]
    pub fn of(frame: FrameId) -> Self {
        Self(1 << frame.0)
    }

    /// Whether `frame` is in the set.
    #[must_use]
    pub fn has(self, frame: FrameId) -> bool {
        self.0 & (1 << frame.0) != 0
    }

    /// Adds a frame.
    pub fn insert(&mut self, frame: FrameId) {
        self.0 |= 1 << frame.0;
    }

    /// The frames of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The frames of both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The frames of this set that `other` lacks.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether each frame of this set is in `other`.
    #[must_use]
    pub fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether the set holds nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The frames, in declared order.
    pub fn iter(self) -> impl Iterator<Item = FrameId> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let frame = FrameId(u16::try_from(rest.trailing_zeros()).ok()?);
            // The lowest bit goes; when none is left there is nothing to give.
            rest = rest.checked_sub(1)? & rest;
            Some(frame)
        })
    }
}

impl FromIterator<FrameId> for FrameSet {
    fn from_iter<I: IntoIterator<Item = FrameId>>(frames: I) -> Self {
        let mut set = Self::EMPTY;
        for frame in frames {
            set.insert(frame);
        }
        set
    }
}

/// A set of fields, one bit a slot. The first 128 slots stand in place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotSet(SmallVec<[u64; 2]>);

impl SlotSet {
    /// Whether `slot` is in the set.
    #[must_use]
    pub fn has(&self, slot: Slot) -> bool {
        self.0.get(slot.index() / 64).is_some_and(|word| word & (1 << (slot.0 % 64)) != 0)
    }

    /// Adds a field.
    pub fn insert(&mut self, slot: Slot) {
        let (word, bit) = (slot.index() / 64, 1 << (slot.0 % 64));
        match self.0.get_mut(word) {
            Some(word) => *word |= bit,
            None => {
                self.0.resize(word, 0);
                self.0.push(bit);
            }
        }
    }

    /// The fields, in declared order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        self.0.iter().enumerate().flat_map(|(at, word)| {
            let rests = std::iter::successors(Some(*word), |rest| Some(rest & rest.wrapping_sub(1)));
            rests.take_while(|rest| *rest != 0).map(move |rest| Slot::at(at * 64 + rest.trailing_zeros() as usize))
        })
    }
}

impl FromIterator<Slot> for SlotSet {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut set = Self::default();
        for slot in slots {
            set.insert(slot);
        }
        set
    }
}
