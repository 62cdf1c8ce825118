//! Answers wireproof's questions about a codec: all of the testee protocol but the codec's own calls. An adapter
//! implements [`Codec`] and hands it to [`main`]:
//!
//! ```no_run
//! use wireproof_testee::{claim, Codec, Hello, Reencoded, Refusal};
//!
//! struct Port;
//!
//! impl Codec for Port {
//!     fn hello(&self) -> Hello {
//!         Hello {
//!             name: "my-codec".into(),
//!             version: "1.0.0".into(),
//!             claims: vec![("FetchRequest".into(), claim(&["reencode"], "0-17"))],
//!             ..Hello::default()
//!         }
//!     }
//!
//!     fn reencode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
//!         todo!("the codec's calls for {message}/{version}: {data:?}")
//!     }
//! }
//!
//! fn main() {
//!     wireproof_testee::main(Port)
//! }
//! ```
//!
//! Functions return their result, or a [`Refusal`]: [`Refusal::decode`] and [`Refusal::encode`] where the codec
//! declined in its orderly way, [`Refusal::unsupported`] where its types cannot hold the value. Any other error that
//! `?` meets becomes an internal_error, and so does a panic.
//!
//! Record sets are the message `RecordBatch`, whose compressions the hello names; messages in the framings in which
//! other data carry them are answered by what [`Codec::embedded`] gives.
//!
//! Values are canonical JSON, as [`serde_json::Value`]. What JSON has no number for is a string, which [`value`]
//! makes and reads.

mod embedded;
mod hello;
mod primitives;
mod refusal;
mod serve;
mod stdout;
pub mod value;

pub use embedded::{Blob, Embedded, Found};
pub use hello::{both_ways, claim, locked, ranges, Api, Claim, Direction, Hello, Unclaimed, Ways};
pub use primitives::{Equality, Primitives, Read};
pub use refusal::Refusal;
pub use serde_json::{Map, Value};
pub use serve::serve;

/// The version of the testee protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;

/// A struct: fields by Kafka's names.
pub type Object = Map<String, Value>;

/// What decoding gave, and how many of the bytes were read.
pub struct Decoded {
    pub value: Object,
    pub consumed: usize,
}

/// What encoding gave of what was decoded, and how many of the bytes were read.
pub struct Reencoded {
    pub data: Vec<u8>,
    pub consumed: usize,
}

/// What a frame held; `consumed` counts the four bytes of the size, too.
pub struct Unframed {
    pub header: Object,
    pub value: Object,
    pub consumed: usize,
}

/// A codec under test. Only what its hello claims is asked for; the rest stays as it is.
#[allow(unused_variables)] // of the operations that a codec does not have
pub trait Codec {
    /// Who is under test, and what is claimed for it.
    fn hello(&self) -> Hello;

    /// Makes a value of bytes.
    fn decode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        Err(Refusal::unclaimed("decode", message, version))
    }

    /// Makes bytes of a value; absent keys mean their defaults.
    fn encode(&mut self, message: &str, version: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::unclaimed("encode", message, version))
    }

    /// Decodes, and encodes what was decoded at the same version.
    fn reencode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        Err(Refusal::unclaimed("reencode", message, version))
    }

    /// Tells how long the encoding of a value is.
    fn size(&mut self, message: &str, version: i16, value: &Object) -> Result<usize, Refusal> {
        Err(Refusal::unclaimed("size", message, version))
    }

    /// Makes size, header and body.
    fn frame(
        &mut self,
        message: &str,
        version: i16,
        header: &Object,
        value: &Object,
    ) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::unclaimed("frame", message, version))
    }

    /// Takes a frame apart.
    fn unframe(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Unframed, Refusal> {
        Err(Refusal::unclaimed("unframe", message, version))
    }

    /// Tells whether two objects of the codec's, each decoded of its bytes, are equal.
    fn equal(&mut self, message: &str, version: i16, data: &[u8], other: &[u8]) -> Result<Equality, Refusal> {
        Err(Refusal::unclaimed("equal", message, version))
    }

    /// Decodes, duplicates what was decoded, and encodes the duplicate.
    fn copy(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::unclaimed("copy", message, version))
    }

    /// Who answers for single primitives; see [`Hello::primitives`].
    fn primitives(&mut self) -> Option<&mut dyn Primitives> {
        None
    }

    /// Who answers for messages in the framings in which other data carry them; see [`Hello::embedded`].
    fn embedded(&mut self) -> Option<&mut dyn Embedded> {
        None
    }
}

/// Answers until it is told to stop or its standard input ends, and exits. Standard output is taken away from the
/// codec: what it prints goes to standard error.
pub fn main(mut codec: impl Codec) -> ! {
    let served = stdout::take().and_then(|answers| serve(&mut codec, std::io::stdin().lock(), answers));
    std::process::exit(match served {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("testee: {error}");
            2
        }
    })
}
