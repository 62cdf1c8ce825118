use serde_json::{json, Value};

/// The reason why an operation has no result.
#[derive(Debug)]
pub enum Refusal {
    /// The codec rejected the bytes with an error of its own.
    Decode { class: String, message: String, offset: Option<usize> },
    /// The codec rejected the value with an error of its own.
    Encode { class: String, message: String, path: Option<String> },
    /// The codec's types cannot hold the value. The reason is a name in [`crate::Hello::limits`].
    Unsupported { reason: String, message: String },
    /// Any other error, or a panic.
    Internal { class: String, message: String },
}

impl Refusal {
    /// Creates a [`Refusal::Decode`]; `class` is the codec's own name for the error.
    pub fn decode(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Decode { class: class.into(), message: message.into(), offset: None }
    }

    /// Creates a [`Refusal::Encode`]; `class` is the codec's own name for the error.
    pub fn encode(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Encode { class: class.into(), message: message.into(), path: None }
    }

    /// Creates a [`Refusal::Unsupported`]; `reason` is a name in [`crate::Hello::limits`].
    pub fn unsupported(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unsupported { reason: reason.into(), message: message.into() }
    }

    /// Creates a [`Refusal::Internal`].
    pub fn internal(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Internal { class: class.into(), message: message.into() }
    }

    /// Creates a [`Refusal::Internal`] about a mistake of the adapter: it is not blamed on the codec.
    pub fn adapter(message: impl Into<String>) -> Self {
        Self::internal("AdapterError", message)
    }

    pub(crate) fn unclaimed(op: &str, message: &str, version: i16) -> Self {
        Self::adapter(format!("{op} of {message}/{version} was not claimed"))
    }

    /// Returns the member of an answer that reports this refusal.
    pub(crate) fn into_json(self) -> (&'static str, Value) {
        match self {
            Self::Decode { class, message, offset } => (
                "decode_error",
                with("offset", offset.map(Value::from), json!({"class": class, "message": message})),
            ),
            Self::Encode { class, message, path } => (
                "encode_error",
                with("path", path.map(Value::from), json!({"class": class, "message": message})),
            ),
            Self::Unsupported { reason, message } => {
                ("unsupported", json!({"reason": reason, "message": message}))
            }
            Self::Internal { class, message } => {
                ("internal_error", json!({"class": class, "message": message}))
            }
        }
    }
}

fn with(key: &str, known: Option<Value>, mut object: Value) -> Value {
    if let Some(value) = known {
        object[key] = value;
    }
    object
}

/// Converts any other error, also through `?`, to a [`Refusal::Internal`]. The class is the error's type without the
/// path of its module.
impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        let class = std::any::type_name::<E>();
        Self::internal(class.rsplit("::").next().unwrap_or(class), error.to_string())
    }
}
