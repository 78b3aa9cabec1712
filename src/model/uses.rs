//! Packs that are put together: the packs that one uses, and who of them serves which port.

use std::sync::Arc;

use crate::source::Span;

use super::ids::{EventId, MessageId, PortId};
use super::schema::NamedType;
use super::{Pack, Status};

/// Which of the packs that are put together: the outermost one, or one that is used, directly or by another used one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PackAt(pub u16);

impl PackAt {
    /// The outermost pack, which outside inputs go to.
    pub const OUTERMOST: Self = Self(0);

    /// The used pack at a position of [`Composed::packs`].
    ///
    /// # Panics
    /// When there are more than 65,534 of them, which loading refuses.
    #[must_use]
    pub fn used(index: usize) -> Self {
        Self(u16::try_from(index + 1).expect("loading bounds the number of used packs"))
    }

    /// The position among all of them, the outermost first.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Whether it is the outermost.
    #[must_use]
    pub fn is_outermost(self) -> bool {
        self == Self::OUTERMOST
    }
}

/// The packs that a pack uses, and who serves what.
#[derive(Debug, Clone)]
pub struct Composed {
    /// Each used pack, before those that it uses itself.
    pub packs: Vec<Used>,
    /// For each pack, the outermost first, and each of its ports: who serves it, where it is not the host.
    pub serves: Vec<Vec<Option<Serve>>>,
}

/// A used pack.
#[derive(Debug, Clone)]
pub struct Used {
    /// Its name as all output has it: `gate`, and `gate/inner` for one that `gate` uses.
    pub name: String,
    /// The folder that it lies in, beside that of the pack that uses it.
    pub folder: String,
    /// Its declarations.
    pub pack: Arc<Pack>,
}

/// Who serves a port.
#[derive(Debug, Clone)]
pub struct Serve {
    /// The pack.
    pub by: PackAt,
    /// The event that a call becomes.
    pub event: EventId,
    /// Messages that end the call, and how; none where the port sends no outcome.
    pub replies: Vec<(MessageId, Status)>,
    /// Where it is written.
    pub span: Span,
}

/// A `[[serve]]` as it is written, its names not yet looked up.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The port, with the names of the used packs that lead to it.
    pub port: (String, Span),
    /// The used pack.
    pub by: (String, Span),
    /// The event.
    pub event: (String, Span),
    /// The messages, each with how the call ends.
    pub replies: Vec<(String, Span, Status)>,
    /// Where `reply` is written, if it is.
    pub reply: Option<Span>,
    /// Where all of it is written.
    pub span: Span,
}

impl Pack {
    /// One of the packs that are put together here.
    #[must_use]
    pub fn at(&self, at: PackAt) -> &Pack {
        match (&self.composed, at.index().checked_sub(1)) {
            (Some(composed), Some(used)) => &composed.packs[used].pack,
            _ => self,
        }
    }

    /// All of them, the outermost first.
    pub fn all(&self) -> impl Iterator<Item = PackAt> + use<> {
        let used = self.composed.as_ref().map_or(0, |composed| composed.packs.len());
        std::iter::once(PackAt::OUTERMOST).chain((0..used).map(PackAt::used))
    }

    /// The name of a used pack; nothing for the outermost.
    #[must_use]
    pub fn name_at(&self, at: PackAt) -> Option<&str> {
        let used = at.index().checked_sub(1)?;
        self.composed.as_ref().map(|composed| composed.packs[used].name.as_str())
    }

    /// A name of one of the packs as output has it: `gate/NAME`, bare for the outermost.
    #[must_use]
    pub fn qualified(&self, at: PackAt, name: &str) -> String {
        match self.name_at(at) {
            Some(of) => format!("{of}/{name}"),
            None => name.to_owned(),
        }
    }

    /// The pack that a written name is of, and the name in it. A name of a used pack that is not there is one of the outermost.
    #[must_use]
    pub fn split<'n>(&self, name: &'n str) -> (PackAt, &'n str) {
        let Some((of, rest)) = name.rsplit_once('/') else { return (PackAt::OUTERMOST, name) };
        match self.all().find(|at| self.name_at(*at) == Some(of)) {
            Some(at) => (at, rest),
            None => (PackAt::OUTERMOST, name),
        }
    }

    /// Who serves a port, where it is not the host.
    #[must_use]
    pub fn served(&self, at: PackAt, port: PortId) -> Option<&Serve> {
        self.composed.as_ref()?.serves[at.index()][port.index()].as_ref()
    }

    /// The name under which a field crosses the border of a pack.
    #[must_use]
    pub fn crossing(&self, field: &NamedType) -> &str {
        self.names.text(field.wire)
    }

    /// The fields of an event, as a host may give them.
    #[must_use]
    pub fn event_fields(&self, event: EventId) -> Vec<NamedType> {
        let event = &self.events[event.index()];
        let fields = event.fields.iter().zip(&event.wire).map(|((input, required), wire)| {
            let input = &self.inputs[input.index()];
            let (wire, ty, doc) = (*wire, input.ty.clone(), input.doc.clone());
            NamedType { name: input.name, wire, ty, optional: !required, default: None, doc, span: input.span }
        });
        fields.collect()
    }
}
