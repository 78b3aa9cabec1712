//! What the canonical form is, by examples.

use super::format;
use crate::diag::Diagnostics;
use crate::source::SourceMap;

fn tidy(name: &str, text: &str) -> String {
    let mut sources = SourceMap::default();
    let out = Diagnostics::new();
    let file = sources.add(name, text);
    let formatted = format(file, name, text, &out);
    let found = out.into_sorted();
    assert!(found.is_empty(), "{}", crate::report::human(&sources, &found, false));
    formatted.expect("a form")
}

#[test]
fn parts_of_a_class_stand_in_their_order_with_their_comments() {
    let text = "\u{feff}
# What this file is.


# why never
never=[]
title='Дом'\t# not final  \x20
id = \"A\"
# old: owner = \"x\"

owner = \"o\"
[entry] # behind
b.c = 1
a.d = 2
[requires]
# above z
z.y = true
[[do]]
with = { }
id = 'n'
call = 'p'
[[do]]
use = 'b'



[[do]]
use = 'c'
[unmet]
reason = 'r'
";
    let expected = r#"# What this file is.

id = "A"
# old: owner = "x"

title = "Дом" # not final

owner = "o"
# why never
never = []

[requires]
# above z
z.y = true
[unmet]
reason = "r"

[entry] # behind
b.c = 1
a.d = 2

[[do]]
call = "p"
id = "n"
with = {}
[[do]]
use = "b"

[[do]]
use = "c"
"#;
    assert_eq!(tidy("A.toml", text), expected);
    assert_eq!(tidy("A.toml", &text.replace('\n', "\r\n")), expected);
}

#[test]
fn sections_and_names_stay_where_they_are() {
    let text = "[signal.b]
doc = 'x'
type = 'text'
[port.p]
response = {}
request = { z = { optional = true, type = 'id' }, a = { type = 'id' } }
[signal.a]
type = 'text'
values = { z = ['z'], a = ['a'] }
[signal.b.values]
z = ['z']
a = ['a']
[enum]
z = ['b', 'a']
a = ['c']
";
    let expected = r#"[signal.b]
type = "text"
doc = "x"
[signal.b.values]
z = ["z"]
a = ["a"]

[port.p]
request = { z = { type = "id", optional = true }, a = { type = "id" } }
response = {}

[signal.a]
type = "text"
values = { z = ["z"], a = ["a"] }

[enum]
z = ["b", "a"]
a = ["c"]
"#;
    assert_eq!(tidy("p.toml", text), expected);
}

#[test]
fn brackets_are_broken_as_the_writer_broke_them() {
    let text = "[lexicon]
filler = [ # all

  'a','b', # two


 # one
     'c' , 'd' ]
[[transition]]
do = [{use='a'},
{ use = 'b', when = { any = [
{ is = 'x' }, { is = 'y' } ] } }]
";
    let expected = r#"[lexicon]
filler = [ # all
  "a", "b", # two

  # one
  "c", "d",
]

[[transition]]
do = [
  { use = "a" },
  { when = { any = [
    { is = "x" }, { is = "y" },
  ] }, use = "b" },
]
"#;
    assert_eq!(tidy("p.toml", text), expected);
}

#[test]
fn a_long_list_is_broken() {
    let long = "x".repeat(50);
    let text = format!(
        "[enum]
a = [\"{long}\", \"{long}\", \"{long}\"] # c
[condition.c]
any = [ {{ is = \"{long}\" }}, {{ is = \"{long}\" }}, {{ is = \"b\" }} ]
"
    );
    let expected = format!(
        "[enum]
a = [
  \"{long}\", \"{long}\",
  \"{long}\",
] # c

[condition.c]
any = [
  {{ is = \"{long}\" }},
  {{ is = \"{long}\" }},
  {{ is = \"b\" }},
]
"
    );
    assert_eq!(tidy("p.toml", &text), expected);
}

#[test]
fn quotes_are_changed_where_nothing_is_lost() {
    let text = "[part]\na = { pattern = 'x' }\n'b c' = { doc = 'it' }\n";
    assert_eq!(tidy("p.toml", text), "[part]\na = { pattern = 'x' }\n\"b c\" = { doc = \"it\" }\n");
    let kept = "[part]
a = { doc = 'a \"b\"' }
c = { doc = 'a\\b' }
d = { doc = \"\"\"
x \x20


# no comment
\"\"\" }
";
    assert_eq!(tidy("p.toml", kept), kept);
}

#[test]
fn the_schema_line_stays_on_top_and_an_ignore_at_its_key() {
    let text = "#:schema ../schemas/pack.json
# segue: ignore[unknown-key] old
title = \"x\" # segue: ignore[a] b
id = \"A\"
";
    let expected = "#:schema ../schemas/pack.json
id = \"A\"
# segue: ignore[unknown-key] old
title = \"x\" # segue: ignore[a] b
";
    assert_eq!(tidy("A.toml", text), expected);
}

#[test]
fn an_ignore_is_about_the_next_line_that_says_something() {
    let long = "x".repeat(80);
    let text = format!(
        "# segue: ignore[a] b

# more of it
title = \"x\"
# segue: ignore[c] d

touches = [\"{long}\", \"{long}\"] # segue: ignore[e] f
id = \"A\"
"
    );
    let expected = format!(
        "id = \"A\"
# segue: ignore[a] b

# more of it
title = \"x\"
# segue: ignore[c] d

touches = [\"{long}\", \"{long}\"] # segue: ignore[e] f
"
    );
    assert_eq!(tidy("A.toml", &text), expected);
}

#[test]
fn comments_of_yaml_have_one_space_before_them_where_a_value_begins() {
    let cases = [
        ("a:    # note\n  b: 1\n", "a: # note\n  b: 1\n"),
        ("a: [1,   # note\n  2]\n", "a: [1, # note\n  2]\n"),
        ("a: {   # x\n  b: 1 }\n", "a: { # x\n  b: 1 }\n"),
        ("a: [   # x\n  1   # y\n  ]\n", "a: [ # x\n  1   # y\n  ]\n"),
        ("? a   # x\n:   # y\n  b\n", "? a   # x\n: # y\n  b\n"),
        ("a: |\n  t\n# below   \n\n\n\nb: 1\n", "a: |\n  t\n# below\n\nb: 1\n"),
        ("a: |\n  t\n# below\n\n\n", "a: |\n  t\n# below\n"),
        ("a: 1\ndoc: >- # note", "a: 1\ndoc: >- # note"),
        ("a: |+ # note\n\n", "a: |+ # note\n\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(tidy("x.yaml", text), expected, "{text:?}");
    }
}

#[test]
fn yaml_keeps_its_lines() {
    let text = "\u{feff}

# head
id:  'A'  \x20
b: { x : 1,y: [ 1,2 ],z: {} } # c \x20



list:
-   one
-   k:  v
    l: \"it\\n\"
long: one


  two
text: | \x20
   keep \x20


   this



last: 'it''s'";
    let expected = "# head
id: \"A\"
b: { x: 1, y: [1, 2], z: {} } # c

list:
- one
-   k: v
    l: \"it\\n\"
long: one


  two
text: | \x20
   keep \x20


   this



last: 'it''s'
";
    assert_eq!(tidy("x.yaml", text), expected);
}

#[test]
fn what_does_not_parse_is_left_alone() {
    let broken = [("a.toml", "a = ["), ("a.yaml", "a: ["), ("a.toml", "a = 1\na = 2"), ("a.json", "{"), ("a.md", "")];
    for (name, text) in broken {
        let mut sources = SourceMap::default();
        let out = Diagnostics::new();
        let file = sources.add(name, text);
        assert_eq!(format(file, name, text, &out), None, "{name}");
        assert!(out.has_errors(), "{name}");
    }
}
