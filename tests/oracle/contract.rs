//! Contracts, held against values by another validator than the engine's.

use boon::{Compiler, Schemas};
use serde_json::Value as Json;

use segue::model::Pack;

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
