//! The public table of codes. An id and a slug are stable and never used again for something else.

/// One line per code: `Variant = "id" "slug": "what it says about the input.";`
macro_rules! codes {
    ($($variant:ident = $id:literal $slug:literal: $about:literal;)+) => {
        /// The kind of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $about] $variant,)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The short id, such as `SG001`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)+ }
            }

            /// The readable name, such as `unknown-key`.
            #[must_use]
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$variant => $slug,)+ }
            }

            /// Its page: what it says of the input and why that matters, an example and the same repaired.
            #[must_use]
            pub const fn page(self) -> &'static str {
                match self { $(Self::$variant => include_str!(concat!("../../docs/codes/", $slug, ".md")),)+ }
            }

            /// The code of this name or id.
            #[must_use]
            pub fn find(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.slug() == name || code.id() == name)
            }

            /// The name of a code that is nearly written like this.
            #[must_use]
            pub fn near(name: &str) -> Option<&'static str> {
                super::suggest(name, Self::ALL.iter().flat_map(|code| [code.slug(), code.id()]))
            }

            /// One line on what the code means.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)+ }
            }
        }
    };
}

codes! {
    // Documents.
    SyntaxError = "SG001" "syntax-error": "The text is not valid TOML, YAML or JSON.";
    UnknownKey = "SG002" "unknown-key": "A table holds a key that nothing reads.";
    DuplicateKey = "SG003" "duplicate-key": "A key is given twice in one table.";
    NullValue = "SG004" "null-value": "A key or a list item has no value.";
    WrongType = "SG005" "wrong-type": "A value is of another type than the one expected here.";
    MissingKey = "SG006" "missing-key": "A table lacks a key that it must have.";
    UnknownName = "SG007" "unknown-name": "A name refers to nothing that is declared.";
    DuplicateName = "SG008" "duplicate-name": "A name is declared twice.";
    BadValue = "SG009" "bad-value": "A value of the right type is not allowed here.";
    LimitExceeded = "SG010" "limit-exceeded": "The input is larger or deeper than the limits allow.";
    UnsupportedYaml = "SG011" "unsupported-yaml": "The file uses a part of YAML that is not read.";
    UnreadableFile = "SG012" "unreadable-file": "A file cannot be read.";
    ReservedName = "SG013" "reserved-name": "A name is taken by the language itself.";

    // Declarations.
    MissingPart = "SG101" "missing-part": "A transition class lacks a part that every class must have.";
    NotCarried = "SG102" "not-carried": "A value is used that is not carried over.";
    NotOwner = "SG103" "not-owner": "A class changes a frame that it does not own.";
    NotPresent = "SG104" "not-present": "A value is read where it may be absent.";
    PrecedenceCycle = "SG105" "precedence-cycle": "Rules of precedence form a cycle.";
    Boundary = "SG106" "boundary": "Something is said of the boundary class that only other classes say, or the other way round.";
    BadPhrase = "SG107" "bad-phrase": "A phrase cannot be read.";
    BadPattern = "SG108" "bad-pattern": "A pattern cannot be read, or never matches.";
    Contradiction = "SG109" "contradiction": "Two declarations cannot both hold.";
    EndlessCalls = "SG110" "endless-calls": "Calls can follow each other without end.";
    ParameterRange = "SG111" "parameter-range": "A parameter is outside its declared range.";
    AmbiguousLookup = "SG112" "ambiguous-lookup": "More than one row of a table can fit.";
    BadName = "SG113" "bad-name": "A name holds something other than letters, digits, `_` and `-`.";
    OutOfRange = "SG114" "out-of-range": "A number, or a number of items, is outside of what is allowed.";
    OutOfPlace = "SG115" "out-of-place": "A condition or a value speaks of something that is not there at its place.";
    OneOfSeveral = "SG116" "one-of-several": "Several forms are written where one may stand.";
    SaysNothing = "SG117" "says-nothing": "Something is written that says nothing, or can never hold.";
    LeadsBack = "SG118" "leads-back": "A definition leads back to itself.";
    BadPath = "SG119" "bad-path": "A path is not written as it must be at its place.";
    NoReply = "SG120" "no-reply": "An outcome is waited for from a port that sends none.";
    BadNever = "SG121" "bad-never": "A `never` row is not a condition.";
    DuplicateItem = "SG122" "duplicate-item": "An item stands twice in a set.";
    OutsideCarryover = "SG123" "outside-carryover": "Carryover speaks of a frame or a field that it is not about.";
    NoManifest = "SG124" "no-manifest": "The pack has no section `[pack]`.";
    NoStartValue = "SG125" "no-start-value": "A field of a frame has neither a default nor is it optional.";
    MissingArgument = "SG126" "missing-argument": "A call, a message or a record is not given what is mandatory.";
    UnknownValue = "SG127" "unknown-value": "A value is none of those that may stand here.";
    NoBoundary = "SG128" "no-boundary": "No class takes what no other class takes.";
    TwoBoundaries = "SG129" "two-boundaries": "The boundary is declared twice.";
    PreserveLost = "SG130" "preserve-lost": "A class preserves what its carryover resets.";
    IdleTouches = "SG131" "idle-touches": "`touches` names a frame that the class does not write, or owns.";
    UnhandledOutcome = "SG132" "unhandled-outcome": "Nobody takes an outcome of a call.";
    ReasonWithoutAnswer = "SG133" "reason-without-answer": "No row of the boundary's answer takes a reason that it may be given.";
    UnusedVocabulary = "SG134" "unused-vocabulary": "Something is declared and used nowhere.";
    UnusedParameter = "SG135" "unused-parameter": "A parameter is used nowhere.";
    UnusedField = "SG136" "unused-field": "A field of a frame is neither read nor written.";
    NeverRead = "SG137" "never-read": "A field of a frame is written and never read.";
    NeverWritten = "SG138" "never-written": "A field of a frame is read and never written.";
    LookupWithoutRow = "SG139" "lookup-without-row": "A lookup can never find a row.";
    MixedScripts = "SG140" "mixed-scripts": "A word holds letters of another script that look like its own.";
    InvisibleCharacter = "SG141" "invisible-character": "A character cannot be seen, or changes how the line is shown.";
    NeverHolds = "SG142" "never-holds": "A test of a number can never hold, or always does.";
    IdleUnmet = "SG143" "idle-unmet": "`unmet` gives a reason for a `requires` that cannot fail.";
    NotOpen = "SG144" "not-open": "An instance of a keyed frame is changed where it may not be open.";
    FieldNotInContract = "SG145" "field-not-in-contract": "A contract can never admit a field that its port declares.";
    ProseDecides = "SG146" "prose-decides": "Prose goes where it could decide something, or where none may go.";
    NeverOpened = "SG147" "never-opened": "Nothing opens an instance of a keyed frame.";
    NeverClosedAs = "SG148" "never-closed-as": "No `close` ends an instance as its frame says that one may end.";
    IdleWhileOpen = "SG149" "idle-while-open": "`while_open` lets calls of instances run on in a pack without keyed frames.";
    PathAsText = "SG150" "path-as-text": "A text spells a path and has no `$` in front.";
    NearKeyword = "SG151" "near-keyword": "A contract holds a word that is nearly one of JSON Schema.";

    // Lexicon and triggers.
    ExampleNotMatched = "SG201" "example-not-matched": "An example is not matched by the class that gives it.";
    CounterexampleMatched = "SG202" "counterexample-matched": "A counterexample is matched by the class that gives it.";
    MatchesEverything = "SG203" "matches-everything": "Every text sets a class off, whatever is said.";
    TriggerCannotSee = "SG204" "trigger-cannot-see": "A trigger looks at something that its event does not bring.";
    IncompleteValue = "SG205" "incomplete-value": "The words of a rule may lack a part of its value.";
    TwoValues = "SG206" "two-values": "The same words stand for two values.";
    UnknownSlot = "SG207" "unknown-slot": "A `{slot}` or `~endings` in a phrase names nothing of the lexicon.";
    TooLarge = "SG208" "too-large": "A phrase or a pattern stands for too much.";
    NoRequiredLiteral = "SG209" "no-required-literal": "A pattern has to be tried on every text.";
    UnusedLexicon = "SG210" "unused-lexicon": "A part, a set of endings, a filler, a signal or a command is used nowhere.";
    MatchesNothing = "SG211" "matches-nothing": "A phrase or a pattern may match no words at all.";

    // Scenarios.
    EmptyExpectation = "SG301" "empty-expectation": "An expectation, or a part of it, checks nothing.";
    NoScenario = "SG302" "no-scenario": "No scenario is about a class of the pack.";
    ClassNotReached = "SG303" "class-not-reached": "A scenario covers a class that it never reaches.";
    CallNobodyMakes = "SG304" "call-nobody-makes": "A scripted call goes to a port that nobody calls in that turn.";
    AnswerBreaksPort = "SG305" "answer-breaks-port": "A scripted answer is none that its port declares.";

    // Proofs.
    Overlap = "SG401" "overlap": "One situation enables two classes, or two rows of one, and nothing says which is meant.";
    OverlapUnknown = "SG402" "overlap-unknown": "Whether one situation enables two classes could not be decided.";
    RedundantPrecedence = "SG403" "redundant-precedence": "A link of precedence orders no two classes that one situation enables.";
    NoSingleAnswer = "SG404" "no-single-answer": "After some step of a class no row of its answer holds, or more than one.";

    // Settings and comments of `segue check`.
    UnknownCode = "SG501" "unknown-code": "A level or an `ignore` names a code that there is not.";
    FixedLevel = "SG502" "fixed-level": "A level or an `ignore` is given for findings with which nothing loads.";
    UnusedIgnore = "SG503" "unused-ignore": "An `ignore` comment ignores nothing.";
    IgnoreWithoutReason = "SG504" "ignore-without-reason": "An `ignore` comment gives no reason.";
    BadIgnore = "SG505" "bad-ignore": "A comment is nearly an `ignore`.";
}

/// Codes whose findings leave a pack that loads and scenarios that run: their level may be changed, and a comment may ignore
/// them.
const ADJUSTABLE: &[Code] = &[
    Code::NoScenario,
    Code::ClassNotReached,
    Code::CallNobodyMakes,
    Code::AnswerBreaksPort,
    Code::Overlap,
    Code::OverlapUnknown,
    Code::RedundantPrecedence,
    Code::NoSingleAnswer,
    Code::UnusedIgnore,
    Code::IgnoreWithoutReason,
    Code::BadIgnore,
    Code::UnhandledOutcome,
    Code::ReasonWithoutAnswer,
    Code::UnusedVocabulary,
    Code::UnusedParameter,
    Code::UnusedField,
    Code::NeverRead,
    Code::NeverWritten,
    Code::NeverOpened,
    Code::NeverClosedAs,
    Code::IdleWhileOpen,
    Code::PathAsText,
    Code::NearKeyword,
    Code::LookupWithoutRow,
    Code::FieldNotInContract,
    Code::MixedScripts,
    Code::InvisibleCharacter,
    Code::NeverHolds,
    Code::IdleUnmet,
    Code::MatchesEverything,
    Code::NoRequiredLiteral,
    Code::UnusedLexicon,
];

impl Code {
    /// Whether the level of its findings may be changed. Nothing runs with findings of the other codes.
    #[must_use]
    pub fn is_adjustable(self) -> bool {
        ADJUSTABLE.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_slugs_are_unique_and_well_formed() {
        for (at, code) in Code::ALL.iter().enumerate() {
            let digits = code.id().strip_prefix("SG").expect("the prefix");
            assert!(digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()), "{}", code.id());
            assert!(code.slug().bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", code.slug());
            assert!(code.about().ends_with('.'), "{}", code.slug());
            for other in &Code::ALL[..at] {
                assert_ne!(code.id(), other.id());
                assert_ne!(code.slug(), other.slug());
            }
        }
    }
}
