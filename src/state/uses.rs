//! What a saved session holds of packs that are used: their states, and the calls that wait for them.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::model::Pack;
use crate::model::json::DataError;
use crate::model::uses::{Composed, PackAt};

use super::saved::{array, field, known, object, text};
use super::{Link, SessionState, Together};

/// Adds them to the saved form of a session.
pub(super) fn save(pack: &Pack, used: &Together, saved: &mut Map<String, Json>) {
    let states = pack.all().skip(1).zip(&used.states);
    let states = states.map(|(at, state)| {
        let name = pack.name_at(at).unwrap_or_default().to_owned();
        (name, Json::Object(state.bare_json(pack.at(at))))
    });
    saved.insert("uses".into(), Json::Object(states.collect()));
    saved.insert("links".into(), links_json(pack, used));
}

/// The calls that wait for used packs.
pub(super) fn links_json(pack: &Pack, used: &Together) -> Json {
    let links = used.links.iter().map(|link| {
        let calls: Vec<&str> = link.calls.iter().map(AsRef::as_ref).collect();
        let name = |at| pack.name_at(at).unwrap_or_default();
        json!({ "pack": name(link.caller), "call": &*link.call, "by": name(link.pack), "calls": calls })
    });
    links.collect()
}

/// Reads them for a session.
pub(super) fn restored(
    pack: &Pack,
    composed: &Composed,
    own: SessionState,
    saved: &Map<String, Json>,
) -> Result<SessionState, DataError> {
    let uses = object(field(saved, "uses", "uses")?, "uses")?;
    let names: Vec<&str> = composed.packs.iter().map(|used| used.name.as_str()).collect();
    known(uses, "uses", &names)?;
    let mut states = Vec::new();
    for used in &composed.packs {
        let at = format!("uses.{}", used.name);
        let state = SessionState::bare_from_json(&used.pack, field(uses, &used.name, &at)?, false)
            .map_err(|error| DataError::new(format!("{at}.{}", error.path), error.message))?;
        states.push(state);
    }
    let mut links = Vec::new();
    for (index, json) in array(field(saved, "links", "links")?, "links")?.iter().enumerate() {
        let at = format!("links.{index}");
        links.push(link(pack, (&own, &states), object(json, &at)?, &links, &at)?);
    }
    for at in pack.all() {
        for call in state_at(&own, &states, at).open_calls() {
            let served = pack.served(at, call.port).is_some();
            if served && !links.iter().any(|link| link.caller == at && link.call == call.id) {
                let call = pack.qualified(at, &call.id);
                return Err(DataError::new("links", format!("lacks the call `{call}`, which a used pack serves")));
            }
        }
    }
    Ok(SessionState { used: Some(Arc::new(Together { states, links })), ..own })
}

fn state_at<'s>(own: &'s SessionState, used: &'s [SessionState], at: PackAt) -> &'s SessionState {
    at.index().checked_sub(1).map_or(own, |index| &used[index])
}

fn link(
    pack: &Pack,
    (own, used): (&SessionState, &[SessionState]),
    saved: &Map<String, Json>,
    before: &[Link],
    at: &str,
) -> Result<Link, DataError> {
    known(saved, at, &["pack", "call", "by", "calls"])?;
    let wrong = |key: &str, message: String| DataError::new(format!("{at}.{key}"), message);
    let place = |key: &str| -> Result<PackAt, DataError> {
        let name = text(saved, key)?;
        let found = pack.all().find(|at| pack.name_at(*at).unwrap_or_default() == name);
        found.ok_or_else(|| wrong(key, format!("`{name}` is no pack that is used here")))
    };
    let (caller, by, call) = (place("pack")?, place("by")?, text(saved, "call")?);
    let open = state_at(own, used, caller).open_calls().into_iter().find(|open| &*open.id == call);
    let serves = |port| pack.served(caller, port).is_some_and(|serve| serve.by == by);
    if open.is_none_or(|open| !serves(open.port)) || before.iter().any(|link| &*link.call == call) {
        return Err(wrong("call", format!("`{call}` is no open call that this pack serves, or stands here twice")));
    }
    let mut calls: Vec<Arc<str>> = Vec::new();
    for json in array(field(saved, "calls", at)?, &format!("{at}.calls"))? {
        let id = json.as_str().unwrap_or_default();
        let is_open = state_at(own, used, by).open_calls().iter().any(|open| &*open.id == id);
        let taken = before.iter().flat_map(|link| &link.calls).chain(&calls).any(|known| &**known == id);
        if !is_open || taken {
            let of = pack.name_at(by).unwrap_or_default();
            return Err(wrong("calls", format!("`{id}` is no open call of `{of}`, or stands here twice")));
        }
        calls.push(id.into());
    }
    if calls.is_empty() {
        return Err(wrong("calls", "is empty; a call for which nothing is open has ended".into()));
    }
    Ok(Link { caller, call: call.into(), pack: by, calls })
}
