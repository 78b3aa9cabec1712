//! Plain scalars of the YAML 1.2 core schema.

use super::Kind;

/// What an unquoted YAML scalar is. `no`, `on`, `off`, `12:30`, `2020-03` are text.
pub(super) fn core(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        _ if is_number(text) => Kind::Number(text.into()),
        _ => Kind::Text(text.into()),
    }
}

fn is_number(text: &str) -> bool {
    let all = |digits: &str, allowed: fn(u8) -> bool| !digits.is_empty() && digits.bytes().all(allowed);
    if let Some(octal) = text.strip_prefix("0o") {
        return all(octal, |b| matches!(b, b'0'..=b'7'));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return all(hex, |b| b.is_ascii_hexdigit());
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let digits = |b: u8| b.is_ascii_digit();
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => all(fraction, |b| b.is_ascii_digit()),
        Some((whole, fraction)) => all(whole, |b| b.is_ascii_digit()) && fraction.bytes().all(digits),
        None => all(mantissa, |b| b.is_ascii_digit()),
    };
    mantissa && exponent.is_none_or(|e| all(e, |b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_schema() {
        for text in
            ["0", "010", "-7", "+1", "1.10", ".5", "5.", "1e3", "-1.5E-7", "0x1F", "0o17", ".inf", "-.INF", ".nan"]
        {
            assert_eq!(core(text), Kind::Number(text.into()));
        }
        let words =
            ["no", "on", "off", "yes", "y", "n", "Yes", "tRUE", "nULL", "12:30", "2020-03", "2020-03-01", "0b1", "0x"];
        let more =
            ["1_000", "1.2.3", ".", "-", "+", "e3", "1e", ".e3", "+.nan", "0o8", "inf", "nan", "1 2", "٣", "-0x1"];
        for text in words.into_iter().chain(more) {
            assert_eq!(core(text), Kind::Text(text.into()));
        }
        assert_eq!((core("~"), core("NULL"), core("")), (Kind::Null, Kind::Null, Kind::Null));
        assert_eq!((core("True"), core("FALSE")), (Kind::Bool(true), Kind::Bool(false)));
    }
}
