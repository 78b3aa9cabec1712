//! The sections of a pack.

use super::*;

macro_rules! rest {
    ($name:ident, $doc:literal, $value:expr) => {
        static $name: Rest = Rest { doc: $doc, names: Names::Declared, value: &$value };
    };
}

rest!(ENUMS, "An enum and its values.", Value::Either(&[Value::Some(&Value::Word), Value::Table(&ADDED)]));
rest!(RECORDS, "A record type.", Value::Table(&RECORD));
rest!(RELATIVES, "A relative period.", Value::Table(&RELATIVE));
rest!(PARAMS, "A parameter.", Value::Table(&PARAM));
rest!(TABLES, "A table of the pack.", Value::Table(&TABLE));
rest!(FRAMES, "A frame.", Value::Table(&FRAME));
rest!(CONDITIONS, "A named condition.", Value::Table(&CONDITION));
rest!(EVENTS, "An event.", Value::Table(&EVENT));
rest!(ENDINGS, "A set of endings, for `stem~set` in phrases.", Value::List(&Value::Text));
rest!(PARTS, "A part.", Value::Table(&PART));
rest!(SIGNALS, "A signal.", Value::Table(&SIGNAL));
rest!(COMMANDS, "A command and its spellings.", Value::List(&Value::Word));
rest!(DERIVEDS, "A derived signal.", Value::Table(&DERIVED));
rest!(PORTS, "A port.", Value::Table(&PORT));
rest!(MESSAGES, "A message.", Value::Table(&MESSAGE));
rest!(MODES, "An answer mode.", Value::Table(&ANSWER_MODE));
rest!(BLOCKS, "A block.", Value::Table(&BLOCK));
rest!(METRICS, "A metric.", Value::Table(&METRIC));
rest!(MIGRATIONS, "A migration.", Value::Table(&MIGRATION));
rest!(USES, "A pack that this one uses.", Value::Table(&USE));
rest!(RECORDINGS, "A form of recorded dialogues.", Value::Table(&RECORDING));

/// The sections of a pack. Any file may hold any of them, and one may stand in several files. Their order is part of the fingerprint.
pub static SECTIONS: Shape = Shape::new(
    "sections",
    "a pack",
    "A file of a pack: any of its sections.",
    &[&[
        may("pack", Value::Table(&MANIFEST), "The manifest."),
        may("carryover", Value::Table(&CARRYOVER), "What a class may take along."),
        may("enum", Value::Names(&ENUMS), "Enums, each with its values."),
        may("type", Value::Names(&RECORDS), "Record types."),
        may("relative", Value::Names(&RELATIVES), "Relative periods, such as `LAST_WEEK`."),
        may("param", Value::Names(&PARAMS), "Parameters, used as `\"%name\"`."),
        may("table", Value::Names(&TABLES), "Tables with rows, used as types with `key_of`."),
        may("frame", Value::Names(&FRAMES), "Frames: what a session remembers."),
        may("invariant", Value::List(&Value::Table(&INVARIANT)), "What holds of every step."),
        may("condition", Value::Names(&CONDITIONS), "Named conditions, used as `is = \"name\"`."),
        may("event", Value::Names(&EVENTS), "What can happen."),
        may("ending", Value::Names(&ENDINGS), "Sets of endings for `stem~set` in phrases."),
        may("part", Value::Names(&PARTS), "Pieces of values, for rules of signals."),
        may("signal", Value::Names(&SIGNALS), "What can be heard in a text, or what the host gives."),
        may("lexicon", Value::Table(&LEXICON), "Words of the whole lexicon."),
        may("command", Value::Names(&COMMANDS), "Commands at the very start of a text, each with its spellings."),
        may("derive", Value::Names(&DERIVEDS), "Values computed for each candidate class."),
        may("port", Value::Names(&PORTS), "What the host can be asked to do."),
        may("message", Value::Names(&MESSAGES), "What a step can send."),
        may("answer_mode", Value::Names(&MODES), "Kinds of answers."),
        may("block", Value::Names(&BLOCKS), "Named lists of effects, used as `{ use = \"name\" }`."),
        may("transition", Value::List(&Value::Table(&CLASS)), "Transition classes that have no file of their own."),
        may("metric", Value::Names(&METRICS), "What `segue stats` counts over sessions."),
        may("migration", Value::Names(&MIGRATIONS), "How sessions of earlier registries are carried over."),
        may("recording", Value::Names(&RECORDINGS), "Forms of recorded dialogues."),
        may("uses", Value::Names(&USES), "Packs that this one uses."),
        may("serve", Value::List(&Value::Table(&SERVE)), "Ports that used packs serve."),
    ]],
)
.split();
