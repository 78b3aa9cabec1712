//! What a port has answered: answers that pass its checks, and answers that break a check, the type or the contract.

use serde_json::{Map, Value as Json, json};

use crate::model::cond::Place;
use crate::model::ids::{OutcomeId, PortId};
use crate::model::json::{Naming, fields_from_wire, to_wire};
use crate::model::names::Sym;
use crate::model::reason;
use crate::model::schema::NamedType;
use crate::model::value::{RecordValue, Value};
use crate::registry::Registry;

use super::encode::{Encoder, Sight, Vague, Who};
use super::sat::Lit;
use super::term::Term;
use super::values::{any_value, finite};

impl Encoder<'_> {
    /// An answer that comes to somebody as ok passes the checks of its port; one of which a check is the breach passes those before it.
    pub(super) fn say_checks(&mut self) {
        let syms = &self.registry.syms;
        let (ok, engine) = (self.moment.statuses[0], [syms.type_breach, syms.schema_breach]);
        let breach = self.outcome(Place::OutcomeBreach);
        if let Term::Plain(plain) = &breach {
            let checks = plain.choices.iter().filter(|(value, _)| !engine.iter().any(|sym| *value == Value::Sym(*sym)));
            let came: Vec<Lit> = checks.map(|(_, lit)| *lit).chain([ok]).collect();
            self.moment.came = self.sat.or(came);
        }
        let (came, sight) = (self.moment.came, Sight::of(Who::Answer));
        for (port, site) in self.ports_asked() {
            let mut passed = vec![site, came];
            for check in &self.pack.ports[port.index()].checks {
                let when = self.holds(&check.when, &sight);
                let holds = self.holds(&check.require, &sight);
                let is = self.equal(&breach, &Term::constant(&Value::Sym(check.id)));
                self.sat.implies(&[site, ok, when], &[holds]);
                self.sat.implies(&[site, is], &[when]);
                self.sat.implies(&[site, is, holds], &[]);
                for earlier in &passed[2..] {
                    self.sat.implies(&[site, is], &[*earlier]);
                }
                passed.push(self.sat.or([!when, holds]));
            }
        }
    }

    /// The ports whose outcomes can come, and under which literal.
    fn ports_asked(&self) -> Vec<(PortId, Lit)> {
        self.moment.sites.iter().map(|(site, lit)| (site.call.port, *lit)).collect()
    }

    /// A field of an answer as it came.
    pub(super) fn answered(&mut self, id: OutcomeId) -> Term {
        let place = Place::Outcome(id);
        if let Some(term) = self.places.get(&place) {
            return term.clone();
        }
        let (present, came) = (self.sat.fresh(), self.moment.came);
        let term = match self.domains.known(place) {
            Some(cell) => self.build(cell, present),
            None => Term::Opaque(present),
        };
        self.sat.implies(&[present], &[self.moment.outcome]);
        self.sat.implies(&[present], &[came]);
        for (port, site) in self.ports_asked() {
            match self.pack.ports[port.index()].response.iter().find(|(field, _)| *field == id) {
                None => self.sat.implies(&[site], &[!present]),
                Some((_, optional)) if !*optional => self.sat.implies(&[site, came], &[present]),
                Some(_) => {}
            }
            self.say_contract(port, site, id, &term);
        }
        self.places.insert(place, term.clone());
        term
    }

    /// A field of an answer is nothing that the contract of its port refuses by itself.
    fn say_contract(&mut self, port: PortId, site: Lit, id: OutcomeId, term: &Term) {
        let (pack, came) = (self.pack, self.moment.came);
        let declared = &pack.ports[port.index()];
        let Some(contract) = declared.contract.response else { return };
        let Some(at) = declared.response.iter().position(|(field, _)| *field == id) else { return };
        let name = pack.names.text(declared.wire[at]);
        let refuses = |object: Json| self.registry.contracts.refuses(contract, &object, name);
        if refuses(json!({})) {
            self.sat.implies(&[site, came], &[term.present()]);
        }
        let ty = &pack.outcomes[id.index()].ty;
        // Of types with few values all are looked at, so that each stands for itself alone.
        if let (Term::Plain(plain), Some(_)) = (term, finite(pack, ty)) {
            for (value, lit) in &plain.choices {
                if refuses(json!({ name: to_wire(pack, ty, value) })) {
                    self.sat.implies(&[site, came, *lit], &[]);
                }
            }
        }
    }

    /// The same as everybody hears of it: where nothing is broken.
    pub(super) fn heard_of(&mut self, id: OutcomeId) -> Term {
        let (ok, came) = (self.moment.statuses[0], self.moment.came);
        let term = self.answered(id);
        if came == ok { term } else { term.only_if(&mut self.sat, ok) }
    }

    /// What an answer has broken.
    pub(super) fn breach(&mut self) -> Term {
        let Some(cell) = self.domains.known(Place::OutcomeBreach) else { return Term::absent() };
        let present = self.sat.fresh();
        let term = self.build(cell, present);
        self.sat.implies(&[present], &[self.moment.outcome]);
        self.sat.implies(&[present], &[self.moment.statuses[1]]);
        if self.domains.known(Place::OutcomeError).is_some() {
            let error = self.outcome(Place::OutcomeError);
            let contract = self.equal(&error, &Term::constant(&Value::text(reason::CONTRACT)));
            self.sat.implies(&[present], &[contract]);
        }
        let syms = &self.registry.syms;
        for (port, site) in self.ports_asked() {
            let checks = &self.pack.ports[port.index()].checks;
            for breach in &self.pack.enums[self.pack.breaches.index()].values {
                let is = self.equal(&term, &Term::constant(&Value::Sym(*breach)));
                if *breach == syms.type_breach || *breach == syms.schema_breach {
                    let held = self.pack.ports[port.index()].answers_to_a_schema(self.pack);
                    if *breach == syms.schema_breach && !held {
                        self.sat.implies(&[site, is], &[]);
                    } else if broken(self.registry, port, *breach).is_none() {
                        let lit = self.sat.and([site, is]);
                        let why = "no answer was found that breaks the contract of its port in that way";
                        self.vague.push(Vague { lit, why: why.into() });
                    }
                } else if !checks.iter().any(|check| check.id == *breach) {
                    self.sat.implies(&[site, is], &[]);
                }
            }
        }
        term
    }
}

/// An answer that is not of its type and that the contract of the port admits, or one that the contract does not admit.
pub fn broken(registry: &Registry, port: PortId, breach: Sym) -> Option<Json> {
    let pack = registry.pack();
    let contract = pack.ports[port.index()].contract.response;
    let admits = |answer: &Json| contract.is_none_or(|of| registry.contracts.broken(of, answer).is_none());
    let response = &registry.response[port.index()];
    let read = |answer: &Json| fields_from_wire(pack, response, false, answer).ok();
    let misfit = |record: RecordValue| {
        let of = |field: &NamedType| {
            registry.contracts.misfit(pack, Naming::Wire, &field.ty, record.field(field.name)).is_some()
        };
        response.iter().any(of)
    };
    tried(registry, port).into_iter().find(|answer| match breach == registry.syms.schema_breach {
        true => !admits(answer) || read(answer).is_some_and(misfit),
        false => admits(answer) && read(answer).is_none(),
    })
}

/// Answers of many forms: values of each kind, and an answer of the type of which a field is another value, missing or too much.
fn tried(registry: &Registry, port: PortId) -> Vec<Json> {
    let pack = registry.pack();
    let port = &pack.ports[port.index()];
    let huge = serde_json::from_str("1e99").unwrap_or_default();
    let plain = [json!(null), json!({}), json!([]), json!(""), json!(0), json!(0.5), huge, json!(true)];
    let mut whole = Map::new();
    for ((id, _), wire) in port.response.iter().zip(&port.wire) {
        let ty = &pack.outcomes[id.index()].ty;
        whole.insert(pack.names.text(*wire).into(), to_wire(pack, ty, &any_value(pack, ty)));
    }
    let mut tried = plain.to_vec();
    let names: Vec<String> = whole.keys().cloned().chain(["_".into()]).collect();
    for name in names {
        let with = |value: &Json| whole.clone().into_iter().chain([(name.clone(), value.clone())]).collect();
        tried.extend(plain.iter().map(|value| Json::Object(with(value))));
        let without = whole.iter().filter(|(of, _)| **of != name).map(|(of, value)| (of.clone(), value.clone()));
        tried.push(Json::Object(without.collect()));
    }
    tried
}
