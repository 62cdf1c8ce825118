//! Dicts to bytes. A value of any other class than the plain ones is refused: the Python codecs answer it.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyType};

use crate::halt::{asked, Halt, Interrupts, Pass};
use crate::table::{Field, Fixed, Kind, Struct};
use crate::wire::{uvarint, MAX_LENGTH, MAX_STRING_BYTES, MAX_UNKNOWN_TAG};

/// Integers up to here are floats of the same value.
const EXACT_FLOATS: u64 = 1 << 53;

type Value<'py> = Bound<'py, PyAny>;

pub struct Encoder<'a, 'py> {
    py: Python<'py>,
    pub out: Vec<u8>,
    interrupts: Interrupts,
    tags: &'a Bound<'py, PyString>,
    uuid: &'a Bound<'py, PyType>,
    int: &'a Bound<'py, PyString>,
}

impl<'a, 'py> Encoder<'a, 'py> {
    pub fn new(
        tags: &'a Bound<'py, PyString>,
        uuid: &'a Bound<'py, PyType>,
        int: &'a Bound<'py, PyString>,
    ) -> Self {
        Encoder {
            py: tags.py(),
            out: Vec::new(),
            interrupts: Interrupts::new(),
            tags,
            uuid,
            int,
        }
    }

    pub fn write_struct(&mut self, layout: &Struct, value: &Value<'py>) -> Pass<()> {
        self.interrupts.tick(self.py)?;
        let value = value.cast_exact::<PyDict>().map_err(|_| Halt::Refused)?;
        let mut met = 0;
        for field in &layout.fields {
            match self.held(value, field)? {
                Some(item) => {
                    met += 1;
                    self.write_field(field, &item)?;
                }
                None => self.write_field(field, field.default.bind(self.py))?,
            }
        }
        let mut section = Vec::new();
        for field in &layout.tagged {
            if let Some(item) = self.held(value, field)? {
                met += 1;
                if let Some(data) = self.tag_data(field, &item)? {
                    section.push((field.tag, data));
                }
            } else if field.default_bytes.is_none() {
                return Err(Halt::Refused);
            }
        }
        if met != value.len() {
            self.unknown_tags(layout, value, met, &mut section)?;
        }
        if layout.flexible {
            section.sort_by_key(|(tag, _)| *tag);
            self.put_uvarint(section.len())?;
            for (tag, data) in section {
                self.put_uvarint(tag as usize)?;
                self.put_uvarint(data.len())?;
                self.put(&data)?;
            }
        }
        Ok(())
    }

    fn held(&self, value: &Bound<'py, PyDict>, field: &Field) -> Pass<Option<Value<'py>>> {
        asked(self.py, value.get_item(field.name.bind(self.py)))
    }

    /// The bytes of a tagged field; None where it is at its default.
    fn tag_data(&mut self, field: &Field, item: &Value<'py>) -> Pass<Option<Vec<u8>>> {
        if field.same_is_default && item.is(field.default.bind(self.py)) {
            return Ok(None);
        }
        let outer = std::mem::take(&mut self.out);
        let written = self.write_field(field, item);
        let data = std::mem::replace(&mut self.out, outer);
        written?;
        let at_default = match field.float_default {
            Some(default) => {
                data.first_chunk().map(|raw| f64::from_be_bytes(*raw)) == Some(default)
            }
            None => field.default_bytes.as_ref() == Some(&data),
        };
        Ok(if at_default { None } else { Some(data) })
    }

    fn unknown_tags(
        &self,
        layout: &Struct,
        value: &Bound<'py, PyDict>,
        met: usize,
        section: &mut Vec<(u32, Vec<u8>)>,
    ) -> Pass<()> {
        let tags = asked(self.py, value.get_item(self.tags))?.ok_or(Halt::Refused)?;
        let tags = tags.cast_exact::<PyDict>().map_err(|_| Halt::Refused)?;
        if met + 1 != value.len() || (!layout.flexible && !tags.is_empty()) {
            return Err(Halt::Refused);
        }
        for (tag, data) in tags.iter() {
            let tag = tag.cast_exact::<PyInt>().map_err(|_| Halt::Refused)?;
            let tag: u32 = asked(self.py, tag.extract())?;
            let known = layout.tagged.iter().any(|field| field.tag == tag);
            if tag > MAX_UNKNOWN_TAG || known || layout.reserved.contains(&tag) {
                return Err(Halt::Refused);
            }
            let data = data.cast_exact::<PyBytes>().map_err(|_| Halt::Refused)?;
            let mut held = Vec::new();
            grow(&mut held, data.as_bytes())?;
            section.push((tag, held));
        }
        Ok(())
    }

    fn write_field(&mut self, field: &Field, item: &Value<'py>) -> Pass<()> {
        match &field.kind {
            Kind::Fixed(fixed) => self.write_fixed(*fixed, item),
            Kind::Struct(layout) => self.write_struct(layout, item),
            Kind::Optional(_) if item.is_none() => {
                self.put(&[if field.compact { 0 } else { 0xFF }])
            }
            Kind::Optional(layout) => {
                self.put(&[1])?;
                self.write_struct(layout, item)
            }
            _ if item.is_none() => {
                if field.nullable {
                    self.put_null(field)
                } else {
                    Err(Halt::Refused)
                }
            }
            Kind::Text => self.write_text(field, item),
            Kind::Blob => self.write_blob(field, item),
            Kind::Numbers(fixed) => {
                let fixed = *fixed;
                self.write_array(field, item, |encoder, each| {
                    encoder.write_fixed(fixed, each)
                })
            }
            Kind::Items(inner) => self.write_array(field, item, |encoder, each| {
                encoder.write_field(inner, each)
            }),
            Kind::Structs(layout) => self.write_array(field, item, |encoder, each| {
                encoder.write_struct(layout, each)
            }),
        }
    }

    fn write_array(
        &mut self,
        field: &Field,
        item: &Value<'py>,
        mut write: impl FnMut(&mut Self, &Value<'py>) -> Pass<()>,
    ) -> Pass<()> {
        let list = item.cast_exact::<PyList>().map_err(|_| Halt::Refused)?;
        let count = list.len();
        self.put_length(field, count)?;
        let mut written = 0;
        for each in list.iter() {
            self.interrupts.tick(self.py)?;
            write(self, &each)?;
            written += 1;
        }
        // Code of the value's own classes may have changed the list.
        if written == count {
            Ok(())
        } else {
            Err(Halt::Refused)
        }
    }

    fn write_text(&mut self, field: &Field, item: &Value<'py>) -> Pass<()> {
        let text = item.cast_exact::<PyString>().map_err(|_| Halt::Refused)?;
        let text = asked(self.py, text.to_str())?.as_bytes();
        if text.len() > MAX_STRING_BYTES {
            return Err(Halt::Refused);
        }
        if field.compact {
            self.put_uvarint(text.len() + 1)?;
        } else {
            let length = i16::try_from(text.len()).map_err(|_| Halt::Refused)?;
            self.put(&length.to_be_bytes())?;
        }
        self.put(text)
    }

    fn write_blob(&mut self, field: &Field, item: &Value<'py>) -> Pass<()> {
        if let Ok(held) = item.cast_exact::<PyBytes>() {
            self.put_length(field, held.as_bytes().len())?;
            return self.put(held.as_bytes());
        }
        let held = item
            .cast_exact::<PyByteArray>()
            .map_err(|_| Halt::Refused)?;
        let copy = held.to_vec();
        self.put_length(field, copy.len())?;
        self.put(&copy)
    }

    fn write_fixed(&mut self, fixed: Fixed, item: &Value<'py>) -> Pass<()> {
        match fixed {
            Fixed::Bool => {
                let held = item.cast_exact::<PyBool>().map_err(|_| Halt::Refused)?;
                self.put(&[u8::from(held.is_true())])
            }
            Fixed::Int8 => self.put(&narrow::<i8>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Int16 => self.put(&narrow::<i16>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Uint16 => self.put(&narrow::<u16>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Int32 => self.put(&narrow::<i32>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Uint32 => self.put(&narrow::<u32>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Int64 => self.put(&self.integer(item)?.to_be_bytes()),
            Fixed::Float64 => self.put(&self.float(item)?.to_be_bytes()),
            Fixed::Uuid => {
                if !item.get_type().is(self.uuid) {
                    return Err(Halt::Refused);
                }
                let number = asked(self.py, item.getattr(self.int))?;
                let number = number.cast_exact::<PyInt>().map_err(|_| Halt::Refused)?;
                let number: u128 = asked(self.py, number.extract())?;
                self.put(&number.to_be_bytes())
            }
        }
    }

    #[inline]
    fn integer(&self, item: &Value<'py>) -> Pass<i64> {
        if item.is_exact_instance_of::<PyInt>() {
            return asked(self.py, item.extract());
        }
        let held = item.cast_exact::<PyBool>().map_err(|_| Halt::Refused)?;
        Ok(i64::from(held.is_true()))
    }

    fn float(&self, item: &Value<'py>) -> Pass<f64> {
        if item.is_exact_instance_of::<PyFloat>() {
            return asked(self.py, item.extract());
        }
        match self.integer(item)? {
            number if number.unsigned_abs() <= EXACT_FLOATS => Ok(number as f64),
            _ => Err(Halt::Refused),
        }
    }

    fn put_null(&mut self, field: &Field) -> Pass<()> {
        if field.compact {
            self.put(&[0])
        } else if matches!(field.kind, Kind::Text) {
            self.put(&[0xFF; 2])
        } else {
            self.put(&[0xFF; 4])
        }
    }

    /// The prefix of bytes or of an array.
    fn put_length(&mut self, field: &Field, length: usize) -> Pass<()> {
        if field.compact {
            if length as u64 > MAX_LENGTH as u64 {
                return Err(Halt::Refused);
            }
            return self.put_uvarint(length + 1);
        }
        let length = i32::try_from(length).map_err(|_| Halt::Refused)?;
        self.put(&length.to_be_bytes())
    }

    fn put_uvarint(&mut self, number: usize) -> Pass<()> {
        let number = u32::try_from(number).map_err(|_| Halt::Refused)?;
        let (bytes, count) = uvarint(number);
        self.put(&bytes[..count])
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) -> Pass<()> {
        grow(&mut self.out, bytes)
    }
}

/// Add bytes; memory that cannot be had is a `MemoryError`.
#[inline]
fn grow(out: &mut Vec<u8>, bytes: &[u8]) -> Pass<()> {
    if out.try_reserve(bytes.len()).is_err() {
        return Err(Halt::Raised(PyMemoryError::new_err(())));
    }
    out.extend_from_slice(bytes);
    Ok(())
}

fn narrow<T: TryFrom<i64>>(number: i64) -> Pass<T> {
    T::try_from(number).map_err(|_| Halt::Refused)
}
