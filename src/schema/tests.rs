//! Which sections make which kind of file.

use super::*;

#[test]
fn sections_of_kinds_exist() {
    for section in STATE.iter().chain(LEXICON) {
        assert!(SECTIONS.has(section), "{section}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for kind in Kind::ALL {
        let schema = schema(*kind);
        let text = schema.to_string();
        let mut count = 0;
        for reference in text.split("\"$ref\":\"#/definitions/").skip(1) {
            let name = reference.split('"').next().expect("a name");
            assert!(schema["definitions"][name].is_object(), "{name}");
            count += 1;
        }
        assert!(count > 0, "no reference in the schema of {kind:?}");
    }
}
