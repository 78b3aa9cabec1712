//! A small pack with a bit of everything, in both formats, for tests.

use super::SourceText;

pub(crate) const MANIFEST: &str = r#"
[pack]
id = "shop"
title = "Склад"
aggregate = "shop_session_state"
owner = ["navigation", "gate"]
decide = ["question"]
precedence = [["T2", "T10"], ["ask", "T10"]]

[carryover]
universe = ["root", "object"]
limit = "gate.eligible"
depth = { all = ["root", "object"], root_only = ["root"], none = [] }

[enum]
status = ["none", "active"]
eligible = ["all", "root_only", "none"]
anchor = ["day", "place"]

[type.Line]
field = { sku = { type = "id" }, count = { type = "int", default = 0 }, note = { type = "narrative", optional = true } }

[relative.LAST_WEEK]
unit = "week"
offset = -1
length = 1

[param.threshold]
type = "decimal"
default = 0.75
min = 0
max = 1

[table.place]
column = { city = { type = "text" }, big = { type = "bool", default = false } }
row = [ { id = "north", city = "Север" }, { id = "south", city = "Юг", big = true } ]

[table.route]
column = { place = { key_of = "place" }, needs = { set = { enum = "anchor" }, max = 4 } }
row = [ { id = "stock_north", place = "north", needs = ["day"] }, { id = "stock_south", place = "south", needs = [] } ]

[frame.root]
owner = "navigation"
[frame.root.field]
place = { key_of = "place", optional = true }
day = { type = "date_range", optional = true }
lines = { list = { record = "Line" }, max = 8, default = [] }
counts = { map = { key = { key_of = "place" }, value = { type = "int" } }, max = 8, default = {} }
status = { enum = "status", default = "none" }
asked = { type = "int", default = 0 }
[[frame.root.invariant]]
id = "active_has_a_place"
when = { root.status = "active" }
then = { root.place = { present = true } }
repair = [ { clear = ["root"] } ]

[frame.object]
owner = "navigation"
seed = "object_state"
field = { ref = { type = "id", optional = true } }

[frame.question]
owner = "navigation"
field = { missing = { set = { enum = "anchor" }, max = 4, default = [] }, route = { key_of = "route", optional = true } }

[frame.gate]
owner = "gate"
field = { eligible = { enum = "eligible", optional = true }, mode = { enum = ["exact", "limited"], optional = true } }

[condition.open_root]
root.status = "active"

[[invariant]]
id = "none_is_never_exact"
when = { gate.eligible = "none" }
then = { gate.mode = { not = "exact" } }
"#;

pub(crate) const WORDS: &str = r#"
[event.utterance]
turn = "user"
text = "text"
field = { text = { type = "text" } }

[event.select]
field = { ref = { type = "id" } }

[ending]
noun = ["", "а", "у", "е"]

[part.month]
values = { "03" = ["март~noun"], "04" = ["апрел~noun", "april"] }

[part.year]
pattern = '20[0-9]{2}'

[signal.place]
key_of = "place"
values = { north = ["север~noun", "north"], south = ["юге", "юг", "south"] }

[signal.day]
type = "date_range"
rule = [
  { phrase = "{month} {year}", value = "{year}-{month}" },
  { phrase = "{month}", value = "{year}-{month}" },
  { phrase = "прошлая неделя", value = "LAST_WEEK" },
]
complete.year = ["$root.day", "$env.today"]

[signal.confidence]
type = "decimal"

[lexicon]
filler = ["а", "пожалуйста"]

[command]
new = ["/new"]

[derive.route]
lookup = "route"
where = { place = "$input.place" }

[derive.missing]
lacking = { of = "$input.route.needs", in = ["input", "root"] }

[port.execute]
request = { route = { key_of = "route" }, day = { type = "date_range", optional = true } }
response = { eligible = { enum = "eligible" }, result = { type = "id", optional = true } }

[message.refused]
channel = "ui"
const = { kind = "refused" }
field = { reason = { type = "text" } }
text = "Нет: {reason}"

[answer_mode]
exact = { claims = "confirmed" }
limited = { claims = "limited" }
bounded = { claims = "nothing" }

[block.settled]
do = [ { set.gate = { eligible = "$outcome.eligible", mode = "exact" } }, { when = { outcome.result = { present = true } }, set.object = { ref = "$outcome.result?" } } ]

[recording.told]
id = "call.id"
turns = "turns"
event = "utterance"
payload = { text = "said" }
signals = "heard"
omit = ["agent"]
outcome = "answer"
next = { result = "heard.result" }
[recording.told.expected]
class = "label"
accept = "also"
strict = ["T10", "NONE"]
label = { NONE = ["T10"] }
group = { ALL = ["T10", "NONE"] }
by = ["fit"]
"#;

pub(crate) const T2: &str = r#"
id = "T2"
name = "stock"
title = "Остатки"
owner = "navigation"
touches = ["gate"]
group = ["ask"]
doc = "Спросили об остатках."

[[trigger]]
event = "utterance"
any = [ { phrase = "остатки [на] {place}", starts = true, tag = "stock" }, { signal = "day" }, { signal = "place", ambiguous = true } ]
examples = ["остатки на юге"]
counterexamples = ["спасибо"]

[requires]
[entry]
input.route = { present = true }
any = [ { is = "open_root" }, { root.asked = { lt = 3 } } ]

[carryover]
depth = "root_only"
keep = []
forbid = ["object"]
preserve = [ { field = "root.place", unless = "input.place" } ]
fate.question = "clear"

[[do]]
set.root = { place = "$input.place?", day = "$input.day?", status = "active" }
[[do]]
when = { input.missing = { empty = true } }
call = "execute"
id = "run"
with = { route = "$input.route.id", day = "$root.day?" }
keep = { place = "$input.place" }

[[settle]]
on = "run"
when = { outcome.eligible = ["all", "root_only"] }
do = [ { use = "settled" } ]

[answer.by.gate.mode]
exact = "exact"
limited = "limited"

[[never]]
root.place = { present = false }
"#;

pub(crate) const T10: &str = r#"
id = "T10"
name = "boundary"
title = "Отказ"
owner = "gate"
doc = "Что не взял никто другой."
requires = {}
entry = {}
do = [ { emit = "refused", with = { reason = "$reason" } } ]
answer = { mode = "bounded" }
never = []

[[trigger]]
event = "execute.failed"
base = "before"
reason = "execution_failed"

[[trigger]]
event = "boundary"

[carryover]
depth = "none"
keep = ["root", "object"]
forbid = []
preserve = ["root"]
fate.question = "keep"
"#;

/// The pack, in four TOML files.
pub(crate) fn files() -> Vec<SourceText> {
    [("pack.toml", MANIFEST), ("words.toml", WORDS), ("T2.toml", T2), ("T10.toml", T10)]
        .map(|(name, text)| SourceText::new(name, text))
        .to_vec()
}

/// The pack with one text in it replaced, which must stand there.
pub(crate) fn files_with(from: &str, to: &str) -> Vec<SourceText> {
    let mut files = files();
    let file = files.iter_mut().find(|file| file.text.contains(from));
    let file = file.unwrap_or_else(|| panic!("{from:?} stands in the pack"));
    file.text = file.text.replacen(from, to, 1).into();
    files
}
