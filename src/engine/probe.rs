//! Where a step stands, told to whoever measures it: the engine has no clock.

/// A stage of taking an event, by what S1 measures apart (IRW-REQ-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// What came is recognised: a text is scanned and signals are settled, an answer is read by its port (S1: intent detection).
    Recognise,
    /// Classes are weighed: triggers, guards, precedence (S1: routing).
    Choose,
    /// The state is changed on a copy, verified and committed (S1: state update).
    Change,
    /// Calls and messages are composed, the answer mode is found (S1: enrichment).
    Answer,
    /// A session that is kept is written to its store (S1: state synchronization).
    Write,
}

/// Is told where a step stands. It sees no values and can change nothing: a step is the same with and without.
pub trait Probe {
    /// What is done from here on is of this stage, until another is reached or the event is taken. A stage may be reached more than
    /// once.
    fn reached(&mut self, stage: Stage);
}

/// The probe of an environment, where it has one.
#[derive(Default)]
pub struct Marks<'e>(Option<&'e mut dyn Probe>);

impl<'e> Marks<'e> {
    pub fn of(probe: &'e mut Option<&mut dyn Probe>) -> Self {
        Self(match probe {
            Some(probe) => Some(&mut **probe),
            None => None,
        })
    }

    /// The same, for a while.
    pub fn again(&mut self) -> Marks<'_> {
        Marks::of(&mut self.0)
    }

    pub fn reached(&mut self, stage: Stage) {
        if let Some(probe) = &mut self.0 {
            probe.reached(stage);
        }
    }
}
