//! Metrics: the section `[metric.NAME]`, checked when the classes are known.

use crate::diag::{Code, Diagnostic, listed, quoted};
use crate::language;
use crate::model::metric::{Counts, Metric};
use crate::syntax::{Field, Reader};

use super::classes::Outline;
use super::cx::{Cx, Item};
use super::merge::Sections;
use super::recordings::{class_of, some};

const FORMS: [&str; 3] = ["are", "followed_by", "average"];

/// All metrics, by name.
pub(super) fn metrics(cx: &Cx<'_>, sections: &Sections<'_>, classes: &[Outline<'_>]) -> Vec<Metric> {
    sections.of("metric").iter().filter_map(|item| metric(cx, item, classes)).collect()
}

fn metric(cx: &Cx<'_>, item: &Item<'_>, classes: &[Outline<'_>]) -> Option<Metric> {
    cx.check_form("a metric", item.name, item.key);
    let reader = Field::new(item.node, cx.out).table(&language::METRIC)?;
    let class = |field: Field<'_>| class_of(cx, field, classes);
    let named = |field: Field<'_>| some(cx, field, "a class", class);
    let doc = reader.optional("doc").and_then(Field::text).unwrap_or_default().to_owned();
    let before = cx.out.len();
    let of = reader.required("of").map(|field| (field.span(), named(field)));
    let whole = cx.out.len() == before;
    let are = reader.optional("are").map(|field| {
        some(cx, field, "a class", |field| {
            let class = class_of(cx, field, classes)?;
            if let Some((span, of)) = &of
                && !of.contains(&class)
                && whole
            {
                let name = quoted(classes[class.index()].id);
                let message = format!("{name} is not among the cases, so none of them is one");
                let found = Diagnostic::error(Code::UnknownValue, field.span(), message).also(*span, "the cases");
                cx.out.push(found.help(format!("add {name} to `of`, or write `followed_by` for what comes after")));
            }
            Some(class)
        })
    });
    let followed_by = reader.optional("followed_by").map(named);
    let average = reader.optional("average").map(named);
    let until = reader.optional("until").map(named).unwrap_or_default();
    forms(cx, &reader);
    reader.finish();
    let counts = match (are, followed_by, average) {
        (Some(classes), None, None) => Counts::Are(classes),
        (None, Some(classes), None) => Counts::FollowedBy(classes),
        (None, None, Some(classes)) => Counts::Average(classes),
        _ => return None,
    };
    Some(Metric { name: item.name.to_owned(), doc, of: of?.1, counts, until, span: item.key })
}

/// It counts one thing; nothing ends a case that is looked at by itself.
fn forms(cx: &Cx<'_>, reader: &Reader<'_>) {
    let written: Vec<&'static str> = FORMS.into_iter().filter(|form| reader.has(form)).collect();
    match written.as_slice() {
        [] => {
            let message = format!("a metric counts something: one of {} is due", listed(FORMS.iter()));
            cx.error_help(
                Code::MissingKey,
                reader.span(),
                message,
                "write `are`, `followed_by` or `average` with classes",
            );
        }
        [first, rest @ ..] => {
            for second in rest {
                let Some(entry) = reader.entry(second) else { continue };
                let message = format!("a metric counts one thing, and `{first}` stands here already");
                cx.error_help(Code::OneOfSeveral, entry.key_span, message, "make two metrics of it");
            }
        }
    }
    if written == ["are"]
        && let Some(entry) = reader.entry("until")
    {
        let message = "a metric with `are` has no `until`: it looks at the cases themselves";
        cx.error_help(Code::OutOfPlace, entry.key_span, message, "leave `until` out");
    }
}
