//! Slips of hand editing that break the syntax of a file: each is one finding, at its place, with what to write instead.

use segue::diag::Diagnostics;
use segue::source::SourceMap;
use segue::syntax::{Format, parse};

/// A small class in TOML.
const TOML: &str = r#"id = "ON"
title = "A lamp is named"
doc = "The user names a room."
requires = { lamp.lit = true }
never = []

[[trigger]]
event = "utterance"
examples = ["light in the hall", "hall"]

[carryover]
depth = "nothing"
keep = []
"#;

/// A small file of scenarios in YAML.
const YAML: &str = r#"scenarios:
  - scenario: a lamp is lit
    covers: [ON, AGAIN]
    turns:
      - user: "light in the hall"
        expect: { transition: ON, reasons: [] }
      - user: and off
        assistant: "off it is"
        expect:
          transition: AGAIN
          state: { lamp: { lit: false } }
  - scenario: nothing is meant
    covers: REST
    turns:
      - user: hm
"#;

/// What is found, a line each: its place, the message, the other places, the help.
fn found(format: Format, text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("f", text);
    let out = Diagnostics::new();
    _ = parse(file, text, format, &out);
    let place = |span| {
        let at = sources.start(span);
        format!("{}:{}", at.line, at.column)
    };
    let told = out.into_sorted().into_iter().map(|found| {
        let also = found.secondary.iter().map(|label| format!(" [{} {}]", place(label.span), label.message));
        let also: String = also.collect();
        format!("{} {}{also} -> {}", place(found.primary.span), found.message, found.help.unwrap_or_default())
    });
    told.collect()
}

/// Each slip puts the second text in place of the first one; the third is what is to be found.
fn each(format: Format, base: &str, slips: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    assert_eq!(found(format, base), [""; 0], "without a slip nothing is found");
    for (from, to, expected) in slips {
        assert_eq!(base.matches(from).count(), 1, "{from}");
        let found = found(format, &base.replace(from, to));
        if found != [*expected] {
            wrong.push(format!("{to}\n  expected {expected}\n  found    {}", found.join("\n           ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn markers_of_a_merge_in_yaml() {
    each(
        Format::Yaml,
        YAML,
        &[
            (
                COVERS,
                "<<<<<<< HEAD\n    covers: ON\n=======\n    covers: AGAIN\n>>>>>>> other",
                "3:1 a merge conflict is not resolved [5:1 the other side begins here] [7:1 it ends here] -> leave what is meant of the two sides, and delete the lines with the markers",
            ),
            (
                COVERS,
                "    covers: ON\n>>>>>>> other",
                "4:1 a marker of a merge conflict is left over -> delete the line, and see that only one of the two sides is left",
            ),
        ],
    );
}

const TITLE: &str = r#"title = "A lamp is named""#;
const REQUIRES: &str = "requires = { lamp.lit = true }";

#[test]
fn entries_of_toml() {
    each(
        Format::Toml,
        TOML,
        &[
            (TITLE, r#"title "A lamp is named""#, "2:7 a `=` is missing -> write `title = \"A lamp is named\"`"),
            (TITLE, r#"title: "A lamp is named""#, "2:6 `:` is not read as `=` -> write `title = …`"),
            (TITLE, "title: A lamp is named", "2:6 `:` is not read as `=` -> write `title = …`"),
            (
                TITLE,
                r#"- title = "A lamp is named""#,
                "2:1 a `-` makes no item of a list -> remove it: the items of a list stand in `[ … ]`, tables of a list below `[[name]]`",
            ),
            (TITLE, r#"// title = "A lamp is named""#, "2:1 `//` begins no comment -> write `#`"),
            (TITLE, r#"title = "A lamp is named" // of a room"#, "2:27 `//` begins no comment -> write `#`"),
            (
                TITLE,
                r#"title = "A lamp is named","#,
                "2:26 a `,` behind the value -> remove it: an entry ends with its line",
            ),
            (
                TITLE,
                r#"title = "A lamp is named";"#,
                "2:26 a `;` behind the value -> remove it: an entry ends with its line",
            ),
            (
                TITLE,
                r#"title = "A "lamp" is named""#,
                "2:13 more text follows a closing quote -> write `\\\"` for a quote inside the text, or put all of it in single quotes",
            ),
            (
                TITLE,
                "title = 'The lamp's light'",
                "2:19 more text follows a closing quote -> write the text in double quotes, since it holds a single one",
            ),
            (TITLE, r#"title == "A lamp is named""#, "2:8 extra `=` -> write `=` once"),
            (TITLE, "title = A lamp is named", "2:9 text needs quotes -> quote it: \"A lamp is named\""),
            (
                TITLE,
                r#"title = “A lamp is named”"#,
                "2:9 `“` (U+201C) is not read as `\"` -> write `\"` on either side of the text",
            ),
            (
                TITLE,
                "\u{a0}\u{a0}title = \"A lamp is named\"",
                "2:1 U+00A0 (no-break space) is not read as a space -> write a plain space",
            ),
            (TITLE, "\u{feff}title = \"A lamp is named\"", "2:1 U+FEFF (byte-order mark) cannot be seen -> delete it"),
            (TITLE, "title = null", "2:9 `null` is no value -> leave the key out, or quote the text"),
            (TITLE, "title = 2020-03", "2:9 `2020-03` is no date: a date has a day -> quote it: \"2020-03\""),
            (
                TITLE,
                "title = 2020-02-30",
                "2:9 invalid date, expected day between 01 and 29 -> write a date such as 2021-05-10, or quote the text",
            ),
            (TITLE, "title = 0,5", "2:9 `0,5` is no number -> write `0.5`: decimals have a point"),
            (TITLE, "title = 1,000", "2:9 `1,000` is no number -> write `1000`, or `1.000` if it is a decimal"),
            (
                TITLE,
                r#"title = "A \uD800 lamp""#,
                "2:12 `\\uD800` is one half of a surrogate pair, not a character -> write the character itself, or all of its number, such as `\\U0001F600`",
            ),
            (
                TITLE,
                r#"title = "A \ud83d\ude00 lamp""#,
                "2:12 `\\ud83d` is one half of a surrogate pair, not a character -> write `😀` itself, or `\\U0001F600`",
            ),
            (
                TITLE,
                r#"title = "A \U00110000 lamp""#,
                "2:12 `\\U00110000` is no character: the numbers end with 10FFFF -> write the character itself, or its number",
            ),
            (
                TITLE,
                r#"title = "A \u12 lamp""#,
                "2:16 an escape lacks hexadecimal digits -> write `\\uXXXX` or `\\UXXXXXXXX`",
            ),
        ],
    );
}

#[test]
fn tables_and_lists_of_toml() {
    each(
        Format::Toml,
        TOML,
        &[
            (REQUIRES, "requires: { lamp.lit = true }", "4:9 `:` is not read as `=` -> write `requires = …`"),
            (
                REQUIRES,
                "requires { lamp.lit = true }",
                "4:10 a `=` is missing -> write `requires = { lamp.lit = true }`",
            ),
            (REQUIRES, "requires = { lamp.lit: true }", "4:22 `:` is not read as `=` -> write `lamp.lit = …`"),
            (REQUIRES, "requires = { lamp.lit == true }", "4:24 extra `=` -> write `=` once"),
            (
                REQUIRES,
                "requires = { lamp.lit = true lamp.room = \"hall\" }",
                "4:30 a comma is missing before this -> write `,` between two entries",
            ),
            (
                REQUIRES,
                "requires = { lamp.lit = true; lamp.room = \"hall\" }",
                "4:29 `;` does not part entries -> write `,`",
            ),
            (
                REQUIRES,
                "requires = { lamp.room = \"hall\" lamp.lit = true }",
                "4:33 a comma is missing before this [4:12 opened here] -> write `,` between two entries",
            ),
            (REQUIRES, "requires = { lamp.lit = True }", "4:25 `True` is no truth value -> write `true`"),
            (
                REQUIRES,
                "requires = { lamp.lit = yes }",
                "4:25 `yes` is no truth value -> write `true`, or quote it if it is text: \"yes\"",
            ),
            (
                REQUIRES,
                "requires = { lamp.lit = 0,5 }",
                "4:25 `0,5` is no number -> write `0.5`: decimals have a point",
            ),
            (REQUIRES, "requires = { lamp.lit = true }}", "4:31 `}` closes nothing -> remove it"),
            (REQUIRES, "requires = lamp.lit = true }", "4:12 `}` has no `{` -> write `{` here"),
            (
                REQUIRES,
                "requires = { lamp.lit = true",
                "4:12 `{` has no `}` [5:1 here something else begins] -> close it with `}`",
            ),
            (
                REQUIRES,
                "requires = ( lamp.lit = true )",
                "4:12 no value begins with `(` -> write `[ … ]` for a list, `{ … }` for a table",
            ),
            (
                r#""light in the hall", "hall""#,
                r#""light in the hall" "hall""#,
                "9:33 a comma is missing before this [9:12 opened here] -> write `,` between two items",
            ),
            (
                r#""light in the hall", "hall""#,
                r#""light in the hall", "hall"#,
                "9:34 text without its closing quote [11:1 here something else begins] -> close the quote; text over several lines needs three quotes on either side",
            ),
            (
                r#"["light in the hall", "hall"]"#,
                r#"["light in the hall", "hall""#,
                "9:12 `[` has no `]` [11:1 here something else begins] -> close it with `]`",
            ),
            ("[[trigger]]", "[[trigger]", "7:1 `[[trigger]` is no header -> write `[[trigger]]`"),
            ("[[trigger]]", "[trigger]]", "7:1 `[trigger]]` is no header -> write `[[trigger]]`"),
            ("[[trigger]]", "[[trigger", "7:1 `[[trigger` is no header -> write `[[trigger]]`"),
            ("[carryover]", "carryover]", "11:1 `carryover]` is no header -> write `[carryover]`"),
            ("[carryover]", "[carryover", "11:1 `[carryover` is no header -> write `[carryover]`"),
            ("[carryover]", "(carryover)", "11:1 `(carryover)` is no header -> write `[carryover]`"),
            (
                "[carryover]",
                "carryover:",
                "11:10 a `:` makes no header -> write `[carryover]`, or `[[carryover]]` for an item of a list",
            ),
        ],
    );
}

#[test]
fn a_text_of_several_lines_without_its_end() {
    each(
        Format::Toml,
        TOML,
        &[
            (
                r#"doc = "The"#,
                r#"doc = """The"#,
                "3:7 text that begins with `\"\"\"` has no end [4:1 here something else begins] -> close it with `\"\"\"`; text on one line needs one quote on either side",
            ),
            (
                r#"doc = "The user names a room.""#,
                "doc = '''The user\nnames a room.",
                "3:7 text that begins with `'''` has no end [5:1 here something else begins] -> close it with `'''`; text on one line needs one quote on either side",
            ),
            (
                r#"doc = "The user names a room.""#,
                r#"doc = """The user names a room."""#,
                "3:7 text that begins with `\"\"\"` has no end [4:1 here something else begins] -> close it with `\"\"\"`; text on one line needs one quote on either side",
            ),
            (
                r#"doc = "The"#,
                r#"doc = ""The"#,
                "3:9 more text follows a closing quote -> write one quote on either side of the text, or three for a text of several lines",
            ),
        ],
    );
    let two = TOML
        .replace("doc = \"The user names a room.\"", "doc = \"\"\"The user names\na room.")
        .replace("event = \"utterance\"", "event = \"utterance\"\ndoc = \"\"\"Of\nthe user.\"\"\"");
    let taken = "3:7 text that begins with `\"\"\"` has no end [10:7 the next quotes are taken for its end] -> close it with `\"\"\"`; text on one line needs one quote on either side";
    assert_eq!(found(Format::Toml, &two), [taken]);
}

#[test]
fn markers_of_a_merge() {
    let sides = "<<<<<<< HEAD\ntitle = \"A\"\n=======\ntitle = \"B\"\n>>>>>>> other";
    each(
        Format::Toml,
        TOML,
        &[
            (
                TITLE,
                sides,
                "2:1 a merge conflict is not resolved [4:1 the other side begins here] [6:1 it ends here] -> leave what is meant of the two sides, and delete the lines with the markers",
            ),
            (
                TITLE,
                "title = \"A\"\n=======\ntitle = \"B\"\n>>>>>>> other",
                "3:1 a marker of a merge conflict is left over [5:1 here, too] -> delete the line, and see that only one of the two sides is left",
            ),
            (
                TITLE,
                "title = \"A\"\n>>>>>>> other",
                "3:1 a marker of a merge conflict is left over -> delete the line, and see that only one of the two sides is left",
            ),
            (
                TITLE,
                "<<<<<<< HEAD\ntitle = \"A\"",
                "2:1 a marker of a merge conflict is left over -> delete the line, and see that only one of the two sides is left",
            ),
        ],
    );
}

const HALL: &str = r#"- user: "light in the hall""#;
const COVERS: &str = "    covers: [ON, AGAIN]";
const EXPECT: &str = "        expect: { transition: ON, reasons: [] }";
const OFF: &str = r#"        assistant: "off it is""#;

#[test]
fn indentation_of_yaml() {
    each(
        Format::Yaml,
        YAML,
        &[
            (COVERS, "\tcovers: [ON, AGAIN]", "3:1 a tab cannot indent -> indent with spaces"),
            (COVERS, "  \tcovers: [ON, AGAIN]", "3:3 a tab cannot indent -> indent with spaces"),
            (EXPECT, "\t\texpect: { transition: ON, reasons: [] }", "6:1 a tab cannot indent -> indent with spaces"),
            ("      - user: and off", "\t- user: and off", "7:1 a tab cannot indent -> indent with spaces"),
            (OFF, "\tassistant: \"off it is\"", "8:1 a tab cannot indent -> indent with spaces"),
            ("          state:", "\t\tstate:", "11:1 a tab cannot indent -> indent with spaces"),
            (
                COVERS,
                "     covers: [ON, AGAIN]",
                "3:6 `covers` is indented further than `scenario` [2:5 a key above] -> write it below `scenario`, after 4 spaces",
            ),
            (
                COVERS,
                "   covers: [ON, AGAIN]",
                "3:4 `covers` is indented less than `scenario` [2:5 a key above] -> write it below `scenario`, after 4 spaces",
            ),
            (
                EXPECT,
                "         expect: { transition: ON, reasons: [] }",
                "6:10 `expect` is indented further than `user` [5:9 a key above] -> write it below `user`, after 8 spaces",
            ),
            (
                EXPECT,
                "       expect: { transition: ON, reasons: [] }",
                "6:8 `expect` is indented less than `user` [5:9 a key above] -> write it below `user`, after 8 spaces",
            ),
            (
                "          state:",
                "           state:",
                "11:12 `state` is indented further than `transition` [10:11 a key above] -> write it below `transition`, after 10 spaces",
            ),
            (
                "          state:",
                "         state:",
                "11:10 `state` is indented less than `transition` [10:11 a key above] -> write it below `transition`, after 10 spaces",
            ),
            (
                "    covers: REST",
                "   covers: REST",
                "13:4 `covers` is indented less than `scenario` [12:5 a key above] -> write it below `scenario`, after 4 spaces",
            ),
            (
                "    covers: REST",
                "     covers: REST",
                "13:6 `covers` is indented further than `scenario` [12:5 a key above] -> write it below `scenario`, after 4 spaces",
            ),
            (
                "      - user: and off",
                "     - user: and off",
                "7:6 the item does not stand below the others of its list [5:7 an item of the list] -> write `- ` after 6 spaces",
            ),
            (
                "      - user: and off",
                "       - user: and off",
                "7:8 the item does not stand below the others of its list [5:7 an item of the list] -> write `- ` after 6 spaces",
            ),
            (
                "  - scenario: nothing",
                " - scenario: nothing",
                "12:2 the item does not stand below the others of its list [2:3 an item of the list] -> write `- ` after 2 spaces",
            ),
            (
                "  - scenario: nothing",
                "   - scenario: nothing",
                "12:4 the item does not stand below the others of its list [2:3 an item of the list] -> write `- ` after 2 spaces",
            ),
            (
                COVERS,
                "    - covers: [ON, AGAIN]",
                "3:5 an item of a list among keys [2:5 a key above] -> take `- ` away, or write the key of the list on a line above it",
            ),
            (
                "    turns:\n      - user: \"",
                "      - user: \"",
                "4:7 a list without its key: `turns:` is missing [3:5 a key above] -> write `turns:` on a line above it, after 4 spaces",
            ),
            (
                "    turns:\n      - user: hm",
                "      - user: hm",
                "14:7 a list without its key: `turns:` is missing [13:5 a key above] -> write `turns:` on a line above it, after 4 spaces",
            ),
            (
                COVERS,
                "\u{a0}\u{a0}  covers: [ON, AGAIN]",
                "3:1 U+00A0 (no-break space) is not read as a space -> write a plain space",
            ),
            (HALL, "-user: \"light in the hall\"", "5:7 `-` needs a space after it -> write `- ` before the item"),
            ("- user: and off", "-user: and off", "7:7 `-` needs a space after it -> write `- ` before the item"),
        ],
    );
}

#[test]
fn entries_of_yaml() {
    each(
        Format::Yaml,
        YAML,
        &[
            (
                "covers: [ON, AGAIN]",
                "covers [ON, AGAIN]",
                "3:5 expected `key: value` -> write `covers: [ON, AGAIN]`, or indent the text under its key",
            ),
            (
                "covers: [ON, AGAIN]",
                "covers:[ON, AGAIN]",
                "3:11 `:` needs a space after it -> write `covers: [ON, AGAIN]`",
            ),
            (
                "covers: [ON, AGAIN]",
                "covers = [ON, AGAIN]",
                "3:12 `=` is not read as `:` -> write `covers: [ON, AGAIN]`",
            ),
            (
                "covers: REST",
                "covers REST",
                "13:5 expected `key: value` -> write `covers: REST`, or indent the text under its key",
            ),
            ("covers: REST", "covers:REST", "13:11 `:` needs a space after it -> write `covers: REST`"),
            ("covers: REST", "covers = REST", "13:12 `=` is not read as `:` -> write `covers: REST`"),
            (
                "covers: REST",
                "covers: RE: ST",
                "13:15 `:` cannot stand inside unquoted text -> quote the text: it holds a colon: `covers: \"RE: ST\"`",
            ),
            ("covers: REST", "[covers]", "13:5 `[covers]` is a header of TOML -> write `covers:`"),
            ("covers: REST", "// covers REST", "13:5 `//` begins no comment -> write `#`"),
            (
                "covers: REST",
                "\"covers\": \"REST\",",
                "13:21 a comma behind the value -> remove it: an entry ends with its line",
            ),
            ("covers: REST", "covers: @REST", "13:13 text cannot begin with `@` -> quote the text"),
            ("covers: REST", "covers: `REST`", "13:13 text cannot begin with a backtick -> quote the text"),
            (
                "covers: REST",
                "covers: *REST of it",
                "13:13 no anchor `&REST` stands above -> quote the text if it begins with `*`",
            ),
            (
                "covers: REST",
                "covers: - REST",
                "13:13 `- ` cannot stand here -> put the list under its key, one item a line, or quote the text",
            ),
            ("covers: REST", "covers: #REST", "13:5 `covers` has no value -> quote the text: `#` begins a comment"),
            (
                "    turns:\n      - user: hm",
                "    turns\n      - user: hm",
                "14:5 expected `key: value` -> write `turns:`, or indent the text under its key",
            ),
            (
                "expect: { transition",
                "expect { transition",
                "6:15 a `:` is missing -> write `expect: { transition: ON, reasons: [] }`",
            ),
        ],
    );
}

#[test]
fn texts_and_brackets_of_yaml() {
    each(
        Format::Yaml,
        YAML,
        &[
            (
                "\"light in the hall\"",
                "\"light in the hall",
                "5:15 text without its closing quote [8:21 the next quote is taken for its end] -> close the quote on its line",
            ),
            (
                "\"light in the hall\"",
                "\"light in the hall”",
                "5:33 `”` (U+201D) does not close the text -> write `\"`",
            ),
            (
                "\"light in the hall\"",
                "\"light in the \"hall\"\"",
                "5:30 more text follows a closing quote -> write `\\\"` for a quote inside the text, or put all of it in single quotes",
            ),
            (
                "\"light in the hall\"",
                "'the lamp's light'",
                "5:25 more text follows a closing quote -> write `''` for a single quote inside the text, or put it in double quotes",
            ),
            (
                "\"light in the hall\"",
                "\"light\" in the hall",
                "5:23 more text follows a closing quote -> put all of the text inside the quotes",
            ),
            ("\"light in the hall\"", "\"light in the hall\" // said", "5:35 `//` begins no comment -> write `#`"),
            (
                "light in the hall",
                "light \\in the hall",
                "5:22 `\\i` is no escape -> write `\\\\` for a backslash, or put the text in single quotes",
            ),
            (
                "light in the hall",
                "light \\uD800 hall",
                "5:22 `\\uD800` is one half of a surrogate pair, not a character -> write the character itself, or all of its number, such as `\\U0001F600`",
            ),
            (
                "light in the hall",
                "light \\u12 hall",
                "5:22 an escape lacks hexadecimal digits -> write `\\xXX`, `\\uXXXX` or `\\UXXXXXXXX`",
            ),
            (
                "light in the hall",
                "light \\U00110000 hall",
                "5:22 `\\U00110000` is no character: the numbers end with 10FFFF -> write the character itself, or its number",
            ),
            ("[ON, AGAIN]", "[ON, AGAIN", "3:13 `[` has no `]` [4:5 here something else begins] -> close it with `]`"),
            (
                "[ON, AGAIN]",
                "[ON, AGAIN]]",
                "3:24 a closing bracket without its opening one -> remove it, or quote the text",
            ),
            (
                "[ON, AGAIN]",
                "[ON, \"AGAIN]",
                "3:18 text without its closing quote [5:16 the next quote is taken for its end] -> close the quote on its line",
            ),
            (
                "ON, reasons: [] }",
                "ON, reasons: [ }",
                "6:44 `}` does not close `[` -> close the brackets in the order in which they were opened",
            ),
            (
                "ON, reasons: [] }",
                "ON, reasons: []",
                "6:17 `{` has no `}` [7:7 here something else begins] -> close it with `}`",
            ),
            (
                "ON, reasons: [] }",
                "ON, reasons: [] }}",
                "6:48 a closing bracket without its opening one -> remove it, or quote the text",
            ),
            (
                "ON, reasons: [] }",
                "ON reasons: [] }",
                "6:34 a comma is missing before this -> write `,` between two entries; text that holds a comma, a colon or a bracket needs quotes",
            ),
            ("ON, reasons: [] }", "ON; reasons: [] }", "6:33 `;` does not part entries -> write `,`"),
            (
                "ON, reasons: [] }",
                "\"ON\" reasons: [] }",
                "6:36 a comma is missing before this -> write `,` between two entries; text that holds a comma, a colon or a bracket needs quotes",
            ),
            (
                "transition: ON, reasons: [] }",
                "reasons: [] transition: ON }",
                "6:31 a comma is missing before this -> write `,` between two entries; text that holds a comma, a colon or a bracket needs quotes",
            ),
            (
                "transition: ON, reasons: [] }",
                "transition = ON, reasons: [] }",
                "6:30 `=` is not read as `:` -> write `transition: ON`",
            ),
            (
                "transition: ON, reasons: [] }",
                "transition: ON, reasons = [] }",
                "6:43 `=` is not read as `:` -> write `reasons: …`",
            ),
            (
                "{ lamp: { lit: false } }",
                "{ lamp: { lit: false }",
                "11:18 `{` has no `}` [12:3 here something else begins] -> close it with `}`",
            ),
            (
                "{ lamp: { lit: false } }",
                "{ lamp: { lit: false",
                "11:26 `{` has no `}` [12:3 here something else begins] -> close it with `}`",
            ),
        ],
    );
}

#[test]
fn what_is_lost_or_given_again_in_yaml() {
    each(
        Format::Yaml,
        YAML,
        &[
            (
                "  - scenario: nothing",
                "    scenario: nothing",
                "12:5 `scenario` is given twice: an item of the list lacks its `- ` [2:5 the item above begins here] -> write `- ` before it",
            ),
            (
                "      - user: and off",
                "        user: and off",
                "7:9 `user` is given twice: an item of the list lacks its `- ` [5:9 the item above begins here] -> write `- ` before it",
            ),
            (
                COVERS,
                "    covers: [ON, AGAIN]\n    covers: [ON, AGAIN]",
                "4:5 key `covers` is given twice [3:5 first given here] -> keep one of the two",
            ),
            (
                "    covers: REST\n",
                "    covers: REST\n    given: {}\n    covers: REST\n    given: {}\n",
                "15:5 key `covers` is given twice [13:5 first given here] -> keep one of the two",
            ),
            (
                "scenario: nothing is meant",
                "scenario: nothing is meant\n    scenario: nothing is meant",
                "13:5 key `scenario` is given twice [12:5 first given here] -> keep one of the two",
            ),
        ],
    );
}

/// A small class in YAML.
const CLASS: &str = "\
event:
  utterance:
    field: { text: { type: text } }
transition:
  - id: ON
    requires: {}
    carryover:
      depth: nothing
      keep: []
    mine: 1
    other:
      one: 1
      two: 2
";

#[test]
fn lines_of_keys_that_are_lost_in_yaml() {
    each(
        Format::Yaml,
        YAML,
        &[(
            "        expect:\n",
            "",
            "9:11 `transition` is indented further than `assistant` [8:9 a key above] -> write it below `assistant`, after 8 spaces; or the key that it belongs to on a line above it",
        )],
    );
    each(
        Format::Yaml,
        CLASS,
        &[
            (
                "    carryover:\n",
                "",
                "7:7 a table without its key: `carryover:` is missing [6:5 a key above] -> write `carryover:` on a line above it, after 4 spaces",
            ),
            (
                "    other:\n",
                "",
                "11:7 `one` is indented further than `mine` [10:5 a key above] -> write it below `mine`, after 4 spaces; or the key that it belongs to on a line above it",
            ),
            (
                "event:\n",
                "",
                "1:3 the file begins after 2 spaces, and `transition` stands after none [3:1 here] -> write the key that `utterance` belongs to on a line above it, or take the spaces away",
            ),
        ],
    );
}
