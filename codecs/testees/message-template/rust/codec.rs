//! An example codec for MESSAGE, so that the adapter works at once. Delete this file.

use std::collections::BTreeMap;

pub const VERSIONS: &str = "VERSIONS_TEXT";
const FLEXIBLE: &str = "FLEXIBLE_TEXT";
const LONGEST_TEXT: usize = 0x7fff;
const HIGHEST_TAG: u32 = 0x7fff_fffe;

/// The error for invalid bytes, values and versions.
#[derive(Debug)]
pub struct Malformed(pub String);

type Done = Result<(), Malformed>;

fn fail<T>(words: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed(words.into()))
}

/// Bytes; a `Vec` is an array.
#[derive(Clone, Default)]
pub struct Bytes(pub Vec<u8>);

pub type Uuid = [u8; 16];
pub type Tags = BTreeMap<u32, Vec<u8>>;

/// How a field is on the wire: ranges of versions such as "3-5", "3", or "" for none.
struct Form {
    there: &'static str,
    nullable: &'static str,
    tag: u32,
    tagged: &'static str,
    compact: &'static str,
}

const NO_TAG: u32 = u32::MAX;
const FORM: Form = Form { there: "", nullable: "", tag: NO_TAG, tagged: "", compact: FLEXIBLE };

fn has(version: i16, versions: &str) -> bool {
    let (first, last) = versions.split_once('-').unwrap_or((versions, versions));
    match (first.parse::<i16>(), last.parse::<i16>()) {
        (Ok(first), Ok(last)) => first <= version && version <= last,
        _ => false,
    }
}

/// What goes over the fields of a struct: a reader or a writer.
trait Walk {
    fn field<T: Wire>(&mut self, held: &mut T, form: &Form) -> Done;
}

/// A struct of Kafka.
trait Struct: Default {
    fn walk<W: Walk>(&mut self, wire: &mut W) -> Done;
    fn unknown_tags(&mut self) -> &mut Tags;
}

/// What a field holds. Each function is about a value that may be null: `None`.
trait Wire: Sized {
    const IN_BYTES: bool = false; // a struct, of which a marker says whether it is null
    fn put(held: Option<&mut Self>, writer: &mut Writer, form: &Form) -> Done;
    fn take(reader: &mut Reader, form: &Form) -> Result<Option<Self>, Malformed>;
}

/// A message, to its users.
#[allow(private_bounds)]
pub trait Message: Struct {
    fn encode(&mut self, version: i16) -> Result<Vec<u8>, Malformed> {
        check_version(version)?;
        let mut writer = Writer { out: Vec::new(), version, tags: None };
        write_struct(self, &mut writer)?;
        Ok(writer.out)
    }

    /// Decodes a message and returns the number of bytes read.
    fn decode(data: &[u8], version: i16) -> Result<(Self, usize), Malformed> {
        check_version(version)?;
        let mut reader = Reader { left: data, version, tags: None };
        let made = read_struct(&mut reader)?;
        Ok((made, data.len() - reader.left.len()))
    }
}

fn check_version(version: i16) -> Done {
    if has(version, VERSIONS) {
        return Ok(());
    }
    fail(format!("MESSAGE has the versions {VERSIONS}, not {version}"))
}

struct Writer {
    out: Vec<u8>,
    version: i16,
    tags: Option<Tags>, // while the fields with tags are written
}

impl Walk for Writer {
    fn field<T: Wire>(&mut self, held: &mut T, form: &Form) -> Done {
        let tagged = has(self.version, form.tagged);
        match &mut self.tags {
            None if !tagged && has(self.version, form.there) => T::put(Some(held), self, form),
            Some(tags) if tagged => {
                let mut inner = Writer { out: Vec::new(), version: self.version, tags: None };
                T::put(Some(held), &mut inner, form)?;
                tags.insert(form.tag, inner.out);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn write_struct<T: Struct>(held: &mut T, writer: &mut Writer) -> Done {
    held.walk(writer)?;
    if !has(writer.version, FLEXIBLE) {
        return Ok(());
    }
    let defaults = tags_of(&mut T::default(), writer.version).unwrap_or_default();
    let mut tags = tags_of(held, writer.version)?;
    tags.retain(|tag, data| defaults.get(tag) != Some(data));
    tags.append(&mut held.unknown_tags().clone());
    put_uvarint(&mut writer.out, tags.len() as u32);
    for (tag, data) in &tags {
        put_uvarint(&mut writer.out, *tag);
        put_uvarint(&mut writer.out, data.len() as u32);
        writer.out.extend_from_slice(data);
    }
    Ok(())
}

fn tags_of<T: Struct>(held: &mut T, version: i16) -> Result<Tags, Malformed> {
    let mut writer = Writer { out: Vec::new(), version, tags: Some(Tags::new()) };
    held.walk(&mut writer)?;
    Ok(writer.tags.unwrap_or_default())
}

struct Reader<'a> {
    left: &'a [u8],
    version: i16,
    tags: Option<BTreeMap<u32, &'a [u8]>>, // while the fields with tags are read
}

impl Walk for Reader<'_> {
    fn field<T: Wire>(&mut self, held: &mut T, form: &Form) -> Done {
        let tagged = has(self.version, form.tagged);
        let read = match &mut self.tags {
            None if !tagged && has(self.version, form.there) => T::take(self, form)?,
            None => return Ok(()),
            Some(tags) => {
                let Some(data) = tags.remove(&form.tag) else { return Ok(()) };
                let mut inner = Reader { left: data, version: self.version, tags: None };
                let read = T::take(&mut inner, form)?;
                if !tagged || !inner.left.is_empty() {
                    return fail("a tag of another version, or bytes behind its field");
                }
                read
            }
        };
        *held = read.ok_or(Malformed("null in a field that is not nullable".into()))?;
        Ok(())
    }
}

fn read_struct<T: Struct>(reader: &mut Reader) -> Result<T, Malformed> {
    let mut made = T::default();
    made.walk(reader)?;
    if !has(reader.version, FLEXIBLE) {
        return Ok(made);
    }
    let mut tags = BTreeMap::new();
    for _ in 0..reader.uvarint()? {
        let tag = reader.uvarint()?;
        if tag > HIGHEST_TAG || tags.last_key_value().is_some_and(|(last, _)| tag <= *last) {
            return fail("a tag that is not above the previous one, or too large");
        }
        let length = reader.uvarint()? as usize;
        tags.insert(tag, reader.bytes(length)?);
    }
    let mut inner = Reader { left: &[], version: reader.version, tags: Some(tags) };
    made.walk(&mut inner)?;
    for (tag, data) in inner.tags.unwrap_or_default() {
        made.unknown_tags().insert(tag, data.to_vec());
    }
    Ok(made)
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        if count > self.left.len() {
            return fail("a length beyond the end of the data");
        }
        let (taken, rest) = self.left.split_at(count);
        self.left = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut made = [0; N];
        made.copy_from_slice(self.bytes(N)?);
        Ok(made)
    }

    fn length(&mut self, form: &Form, text: bool) -> Result<Option<usize>, Malformed> {
        let length = match (has(self.version, form.compact), text) {
            (true, _) => i64::from(self.uvarint()?) - 1,
            (_, true) => i16::from_be_bytes(self.array()?).into(),
            _ => i32::from_be_bytes(self.array()?).into(),
        };
        if length == -1 && has(self.version, form.nullable) {
            return Ok(None);
        }
        usize::try_from(length).map(Some).map_err(|_| Malformed("a negative length".into()))
    }

    fn uvarint(&mut self) -> Result<u32, Malformed> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.bytes(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| Malformed("a varint beyond 32 bits".into()));
            }
        }
        fail("a varint that is too long")
    }
}

impl Writer {
    /// Writes a length; `None` is that of null.
    fn length(&mut self, length: Option<usize>, form: &Form, text: bool) -> Done {
        if length.is_none() && !has(self.version, form.nullable) {
            return fail(format!("null in a field that is not nullable in version {}", self.version));
        }
        match (has(self.version, form.compact), text) {
            (true, _) => put_uvarint(&mut self.out, length.map_or(0, |length| length as u32 + 1)),
            (_, true) => self.out.extend(length.map_or(-1, |length| length as i16).to_be_bytes()),
            _ => self.out.extend(length.map_or(-1, |length| length as i32).to_be_bytes()),
        }
        Ok(())
    }
}

fn put_uvarint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

impl<T: Wire> Wire for Option<T> {
    fn put(held: Option<&mut Self>, writer: &mut Writer, form: &Form) -> Done {
        let held = held.and_then(Option::as_mut);
        if !T::IN_BYTES || !has(writer.version, form.nullable) {
            return T::put(held, writer, form);
        }
        let null = if has(writer.version, form.tagged) { 0 } else { 0xff };
        writer.out.push(if held.is_some() { 1 } else { null });
        held.map_or(Ok(()), |held| T::put(Some(held), writer, form))
    }

    fn take(reader: &mut Reader, form: &Form) -> Result<Option<Self>, Malformed> {
        if T::IN_BYTES && has(reader.version, form.nullable) {
            let null = if has(reader.version, form.tagged) { 0 } else { 0xff };
            match reader.bytes(1)?[0] {
                marker if marker == null => return Ok(Some(None)),
                1 => (),
                _ => return fail("an invalid marker before a struct that may be null"),
            }
        }
        T::take(reader, form).map(Some)
    }
}

impl<T: Struct> Wire for T {
    const IN_BYTES: bool = true;

    fn put(held: Option<&mut Self>, writer: &mut Writer, _: &Form) -> Done {
        match held {
            Some(held) => write_struct(held, writer),
            None => fail("null in place of a struct"),
        }
    }

    fn take(reader: &mut Reader, _: &Form) -> Result<Option<Self>, Malformed> {
        read_struct(reader).map(Some)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(held: Option<&mut Self>, writer: &mut Writer, form: &Form) -> Done {
        writer.length(held.as_ref().map(|held| held.len()), form, false)?;
        held.map_or(Ok(()), |held| held.iter_mut().try_for_each(|each| T::put(Some(each), writer, form)))
    }

    fn take(reader: &mut Reader, form: &Form) -> Result<Option<Self>, Malformed> {
        let Some(count) = reader.length(form, false)? else { return Ok(None) };
        if count > reader.left.len() {
            return fail("more elements than bytes are left");
        }
        let items = Form { nullable: "", ..*form };
        let take = |_| T::take(reader, &items)?.ok_or(Malformed("null in an array".into()));
        (0..count).map(take).collect::<Result<_, _>>().map(Some)
    }
}

impl Wire for Bytes {
    fn put(held: Option<&mut Self>, writer: &mut Writer, form: &Form) -> Done {
        writer.length(held.as_ref().map(|held| held.0.len()), form, false)?;
        writer.out.extend_from_slice(held.map_or(&[], |held| &held.0));
        Ok(())
    }

    fn take(reader: &mut Reader, form: &Form) -> Result<Option<Self>, Malformed> {
        let Some(length) = reader.length(form, false)? else { return Ok(None) };
        Ok(Some(Bytes(reader.bytes(length)?.to_vec())))
    }
}

impl Wire for String {
    fn put(held: Option<&mut Self>, writer: &mut Writer, form: &Form) -> Done {
        if held.as_ref().is_some_and(|held| held.len() > LONGEST_TEXT) {
            return fail("a string that is too long");
        }
        writer.length(held.as_ref().map(|held| held.len()), form, true)?;
        writer.out.extend_from_slice(held.map_or(&[], |held| held.as_bytes()));
        Ok(())
    }

    fn take(reader: &mut Reader, form: &Form) -> Result<Option<Self>, Malformed> {
        let Some(length) = reader.length(form, true)? else { return Ok(None) };
        let text = String::from_utf8(reader.bytes(length)?.to_vec());
        match text {
            Ok(text) if length <= LONGEST_TEXT => Ok(Some(text)),
            _ => fail("a string that is not UTF-8, or too long"),
        }
    }
}

impl Wire for bool {
    fn put(held: Option<&mut Self>, writer: &mut Writer, _: &Form) -> Done {
        writer.out.push(held.is_some_and(|held| *held).into());
        Ok(())
    }

    fn take(reader: &mut Reader, _: &Form) -> Result<Option<Self>, Malformed> {
        Ok(Some(reader.bytes(1)?[0] != 0))
    }
}

impl Wire for Uuid {
    fn put(held: Option<&mut Self>, writer: &mut Writer, _: &Form) -> Done {
        writer.out.extend(held.copied().unwrap_or_default());
        Ok(())
    }

    fn take(reader: &mut Reader, _: &Form) -> Result<Option<Self>, Malformed> {
        reader.array().map(Some)
    }
}

macro_rules! numbers {
    ($($kind:ty),*) => {$(impl Wire for $kind {
        fn put(held: Option<&mut Self>, writer: &mut Writer, _: &Form) -> Done {
            writer.out.extend(held.copied().unwrap_or_default().to_be_bytes());
            Ok(())
        }

        fn take(reader: &mut Reader, _: &Form) -> Result<Option<Self>, Malformed> {
            Ok(Some(<$kind>::from_be_bytes(reader.array()?)))
        }
    })*};
}

numbers!(i8, i16, u16, i32, u32, i64, f64);

/// Declares a struct: each field with its type, its default and its form.
macro_rules! fields {
    ($name:ident { $($field:ident: $kind:ty = $default:expr, $form:expr;)* }) => {
        #[derive(Clone)]
        pub struct $name {
            $(pub $field: $kind,)*
            pub unknown_tags: Tags,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* unknown_tags: Tags::new() }
            }
        }

        impl Struct for $name {
            #[allow(unused_variables)] // if it has no fields
            fn walk<W: Walk>(&mut self, wire: &mut W) -> Done {
                $(wire.field(&mut self.$field, &$form)?;)*
                Ok(())
            }

            fn unknown_tags(&mut self) -> &mut Tags {
                &mut self.unknown_tags
            }
        }
    };
}
// STRUCTS

impl Message for MESSAGE {}
