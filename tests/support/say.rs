//! Things to say and to answer, made at random out of a pack's own declarations.

use serde_json::{Map, Value as Json, json};

use segue::model::Pack;
use segue::model::class::By;
use segue::model::lexicon::{Elem, Form, Slot};
use segue::model::schema::{NamedType, Type};

use super::Dice;

const NOISE: [&str; 8] = ["абракадабра", "zzz", "42", "нейлон", "«»", "ё-моё", "Март", "don't"];
const PATTERNED: [&str; 8] =
    ["2020-03", "05.03.2020", "2021", "за 35 марта 2020", "1 квартал 2020", "12:30", "№ 7", "первую"];
const BETWEEN: [&str; 6] = [" ", " ", " ", ", ", ". ", " - "];

/// An utterance of a few pieces: forms of the lexicon, phrases and examples of triggers, fillers, noise.
pub fn utterance(pack: &Pack, dice: &mut Dice) -> String {
    if dice.chance(30) {
        let mut text = example(pack, dice);
        if dice.chance(30) {
            text.push_str(dice.pick::<&str>(&BETWEEN));
            text.push_str(&piece(pack, dice));
        }
        return text;
    }
    let count = 1 + dice.below(3);
    let mut text = piece(pack, dice);
    for _ in 1..count {
        text.push_str(dice.pick::<&str>(&BETWEEN));
        text.push_str(&piece(pack, dice));
    }
    match dice.below(8) {
        0 => text.to_uppercase(),
        1 => format!("{text}?"),
        _ => text,
    }
}

fn example(pack: &Pack, dice: &mut Dice) -> String {
    let all: Vec<&String> = pack
        .classes
        .iter()
        .flat_map(|class| &class.triggers)
        .flat_map(|trigger| trigger.examples.iter().chain(&trigger.counterexamples))
        .map(|(text, _)| text)
        .collect();
    if all.is_empty() { piece(pack, dice) } else { (*dice.pick(&all)).clone() }
}

fn piece(pack: &Pack, dice: &mut Dice) -> String {
    let lexicon = &pack.lexicon;
    match dice.below(10) {
        0 => (*dice.pick(&NOISE)).into(),
        1 => (*dice.pick(&PATTERNED)).into(),
        2 if !lexicon.fillers.is_empty() => phrase(pack, dice.pick::<Vec<Elem>>(&lexicon.fillers), dice),
        3 | 4 => {
            let forms: Vec<&Form> = pack
                .classes
                .iter()
                .flat_map(|class| &class.triggers)
                .flat_map(|trigger| &trigger.any)
                .filter_map(|alternative| match &alternative.by {
                    By::Words(words) => Some(&words.form),
                    By::Signal { .. } | By::Ambiguous(_) => None,
                })
                .collect();
            if forms.is_empty() { signal(pack, dice) } else { form(pack, dice.pick::<&Form>(&forms), dice) }
        }
        _ => signal(pack, dice),
    }
}

fn signal(pack: &Pack, dice: &mut Dice) -> String {
    let with_rules: Vec<usize> =
        (0..pack.lexicon.signals.len()).filter(|signal| !pack.lexicon.signals[*signal].rules.is_empty()).collect();
    if with_rules.is_empty() {
        return (*dice.pick(&NOISE)).into();
    }
    let signal = *dice.pick(&with_rules);
    let rule = dice.pick(&pack.lexicon.signals[signal].rules);
    form(pack, &rule.form, dice)
}

fn form(pack: &Pack, form: &Form, dice: &mut Dice) -> String {
    match form {
        Form::Phrase(elems) => phrase(pack, elems, dice),
        Form::Pattern(_) => (*dice.pick(&PATTERNED)).into(),
    }
}

fn phrase(pack: &Pack, elems: &[Elem], dice: &mut Dice) -> String {
    let mut words: Vec<String> = Vec::new();
    for elem in elems {
        match elem {
            Elem::Word(word) => words.push(word.clone()),
            Elem::Stem { stem, endings } => {
                words.push(format!("{stem}{}", dice.pick(&pack.lexicon.endings[*endings].endings)));
            }
            Elem::Slot(Slot::Part(part)) => {
                let rule = dice.pick(&pack.lexicon.parts[*part].rules);
                words.push(match &rule.form {
                    Form::Phrase(elems) => phrase(pack, elems, dice),
                    Form::Pattern(_) => (*dice.pick(&["2020", "2021", "05", "5", "31"])).into(),
                });
            }
            Elem::Slot(Slot::Signal(signal)) => {
                let rules = &pack.lexicon.signals[*signal].rules;
                if !rules.is_empty() {
                    words.push(form(pack, &dice.pick(rules).form, dice));
                }
            }
            Elem::Choice { optional, of } => {
                if !(*optional && dice.chance(50)) {
                    words.push(phrase(pack, dice.pick::<Vec<Elem>>(of), dice));
                }
            }
        }
    }
    words.join(" ")
}

/// A value of a type, as hosts give it. Once in a while one that does not fit.
pub fn value(pack: &Pack, ty: &Type, dice: &mut Dice) -> Json {
    match ty {
        Type::Bool => dice.chance(50).into(),
        Type::Int => i64::try_from(dice.below(5)).expect("small").into(),
        Type::Decimal => json!([0.0, 0.25, 0.75, 1.0][dice.below(4)]),
        Type::Id if !pack.keyed.is_empty() && dice.chance(75) => {
            let keyed = pack.frames[dice.pick(&pack.keyed).index()].keyed.as_ref().expect("it is keyed");
            format!("{}-{}", keyed.prefix, 1 + dice.below(4)).into()
        }
        Type::Text | Type::Narrative | Type::Id => format!("x{}", dice.below(4)).into(),
        Type::Period => {
            let mut all: Vec<String> = ["2020", "2020-Q1", "2020-03", "2021-04", "2020-03-05", "2020-03-05/2020-03-20"]
                .map(str::to_owned)
                .to_vec();
            all.extend(pack.relative.iter().map(|relative| pack.names.text(relative.name).to_owned()));
            dice.pick(&all).clone().into()
        }
        Type::Instant => "2021-05-10T12:00:00Z".into(),
        Type::Document { .. } => [
            json!({ "zeta": 1.50, "alpha": [null] }),
            json!(["x", { "b": 1, "a": 2 }]),
            json!("doc"),
            json!(-0.0),
            json!({ "alpha": "document" }),
            json!({ "format": "png" }),
        ][dice.below(6)]
        .clone(),
        Type::Enum(id) => pack.names.text(*dice.pick(&pack.enums[id.index()].values)).into(),
        Type::Key(id) => pack.names.text(dice.pick(&pack.tables[id.index()].rows).key).into(),
        Type::Record(id) => {
            let record = &pack.records[id.index()];
            let mut object = fields(pack, &record.fields, dice);
            for _ in 0..if record.open { dice.below(4) } else { 0 } {
                // Keys that no type declares, in no order.
                let name = ["zeta", "alpha", "Я", "m-1"][dice.below(4)];
                object[name] =
                    [json!(null), json!({ "b": [], "a": 1.50 }), json!("x"), json!([0])][dice.below(4)].clone();
            }
            object
        }
        Type::List { of, max, .. } | Type::Set { of, max } => {
            let count = dice.below((*max as usize).min(3) + 1);
            let mut items: Vec<Json> = (0..count).map(|_| value(pack, of, dice)).collect();
            if let Type::List { unique: Some(field), .. } = ty {
                let field = pack.names.text(*field);
                let mut borne = Vec::new();
                items.retain(|item| {
                    let there = borne.contains(&item[field]);
                    borne.push(item[field].clone());
                    !there
                });
            }
            Json::Array(items)
        }
        Type::Map { key, of, max } => {
            let count = dice.below((*max as usize).min(2) + 1);
            let entry = |dice: &mut Dice| {
                let key = match value(pack, key, dice) {
                    Json::String(text) => text,
                    other => other.to_string(),
                };
                (key, value(pack, of, dice))
            };
            Json::Object((0..count).map(|_| entry(dice)).collect())
        }
    }
}

/// Named fields, the optional ones now and then.
pub fn fields(pack: &Pack, declared: &[NamedType], dice: &mut Dice) -> Json {
    let mut object = Map::new();
    for field in declared {
        if !(field.optional || field.default.is_some()) || dice.chance(50) {
            object.insert(pack.names.text(field.wire).into(), value(pack, &field.ty, dice));
        }
    }
    Json::Object(object)
}
