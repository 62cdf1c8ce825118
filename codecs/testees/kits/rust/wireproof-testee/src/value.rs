//! Conversions between Rust values and canonical JSON, for types without a JSON number.

use serde_json::Value;

use crate::Object;

/// The name of the field that holds the unknown tagged fields of a struct.
pub const TAGS: &str = "_tags";

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Formats bytes as lower-case hexadecimal digits.
pub fn hex(data: &[u8]) -> String {
    let mut text = String::with_capacity(data.len() * 2);
    for byte in data {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text
}

/// Parses hexadecimal digits. Returns `None` if they are not valid.
pub fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| Some((digit(pair[0])? << 4 | digit(*pair.get(1)?)?) as u8)).collect()
}

/// Converts an int64 or a uint32 to a decimal string.
pub fn long(number: impl Into<i64>) -> Value {
    number.into().to_string().into()
}

/// Reads an integer from a number or a decimal string. Returns `None` if it is not an int64.
pub fn as_long(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// Converts a float64. NaN, infinities and -0.0 become a string: `0x` and their bits.
pub fn float(number: f64) -> Value {
    if number.is_finite() && number.to_bits() != (-0.0_f64).to_bits() {
        number.into()
    } else {
        format!("0x{:016x}", number.to_bits()).into()
    }
}

/// Reads a float64 from a number or a string of its bits. Returns `None` if it is neither.
pub fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => Some(f64::from_bits(u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()?)),
        number => number.as_f64(),
    }
}

/// Converts tags and their bytes to a value of the field [`TAGS`].
pub fn tags<'a>(tags: impl IntoIterator<Item = (u32, &'a [u8])>) -> Value {
    tags.into_iter().map(|(tag, data)| (tag.to_string(), Value::from(hex(data)))).collect()
}

/// Reads the unknown tagged fields of a struct, in ascending order. Returns `None` if they are not valid.
pub fn as_tags(value: &Object) -> Option<Vec<(u32, Vec<u8>)>> {
    let Some(tags) = value.get(TAGS) else {
        return Some(Vec::new());
    };
    let tag = |(tag, data): (&String, &Value)| Some((tag.parse().ok()?, bytes_of(data.as_str()?)?));
    let mut read: Vec<_> = tags.as_object()?.iter().map(tag).collect::<Option<_>>()?;
    read.sort_unstable();
    Some(read)
}
