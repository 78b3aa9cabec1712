//! Lookups that can never find a row.

use crate::diag::{Code, Diagnostic, Diagnostics, quoted};
use crate::model::cond::{Operand, Path, Place};
use crate::model::schema::Type;
use crate::model::value::Value;
use crate::model::{Derivation, Pack};

pub fn check(pack: &Pack, out: &Diagnostics) {
    for derived in &pack.derived {
        let Derivation::Lookup { table, wher } = &derived.rule else { continue };
        let table = &pack.tables[table.index()];
        let fits = |row: &crate::model::schema::Row| {
            wher.iter().all(|(column, operand)| {
                let cell = column.map_or(Value::Sym(row.key), |column| row.cells[column].clone());
                match operand {
                    Operand::Value(value) => cell == *value,
                    Operand::Path(path) => cell.is_present() && may_be(pack, path, &cell),
                }
            })
        };
        if table.rows.iter().any(fits) {
            continue;
        }
        let input = &pack.inputs[derived.input.index()];
        let name = quoted(pack.names.text(table.name));
        let conditions: Vec<String> = wher
            .iter()
            .map(|(column, _)| column.map_or("id", |column| pack.names.text(table.columns[column].name)))
            .map(quoted)
            .collect();
        let message = format!("no row of the table {name} can fit {}", conditions.join(" and "));
        out.push(
            Diagnostic::warning(Code::LookupWithoutRow, input.span, message)
                .label(format!("`input.{}` is never there", pack.names.text(input.name)))
                .also(table.span, "none of its rows has what is asked for")
                .help("add such a row, or compare with what some row holds"),
        );
    }
}

/// Whether a path can lead to a value, by its type.
fn may_be(pack: &Pack, path: &Path, value: &Value) -> bool {
    if !path.steps.is_empty() {
        return true;
    }
    let ty = match path.place {
        Place::Field(slot) | Place::Before(slot) => &pack.slots[slot.index()].ty,
        Place::Input(input) => &pack.inputs[input.index()].ty,
        _ => return true,
    };
    match (ty, value) {
        (Type::Enum(id), Value::Sym(sym)) => pack.enums[id.index()].values.contains(sym),
        (Type::Key(id), Value::Sym(sym)) => pack.tables[id.index()].row(*sym).is_some(),
        _ => true,
    }
}
