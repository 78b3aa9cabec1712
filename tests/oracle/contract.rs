//! Contracts, held against values by another validator than the engine's.

use boon::{Compiler, Schemas};
use serde_json::Value as Json;

use segue::model::Pack;
use segue::model::schema::Type;

/// Whether a contract admits a value.
pub fn admits(pack: &Pack, contract: usize, value: &Json) -> bool {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    let url = |at: usize| format!("contract:///{}.json", pack.names.text(pack.contracts[at].name));
    for (at, contract) in pack.contracts.iter().enumerate() {
        compiler.add_resource(&url(at), (*contract.schema).clone()).expect("each has a name of its own");
    }
    let schema = compiler.compile(&url(contract), &mut schemas).expect("loading has compiled it");
    schemas.validate(value, schema).is_ok()
}

/// Whether each document in a value of a type, as it crosses the border, is what its contract admits.
pub fn documents(pack: &Pack, ty: &Type, value: &Json) -> bool {
    match (ty, value) {
        (Type::Document { contract: Some(contract) }, value) => admits(pack, *contract, value),
        (Type::List { of, .. }, Json::Array(items)) => items.iter().all(|item| documents(pack, of, item)),
        (Type::Map { of, .. }, Json::Object(entries)) => entries.values().all(|value| documents(pack, of, value)),
        (Type::Record(id), Json::Object(members)) => pack.records[id.index()].fields.iter().all(|field| {
            let value = members.get(pack.names.text(field.wire)).filter(|value| !value.is_null());
            value.is_none_or(|value| documents(pack, &field.ty, value))
        }),
        _ => true,
    }
}
