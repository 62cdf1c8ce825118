//! Bytes to dicts. Every count and length is compared with the remaining bytes before memory is taken.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyNone, PyString};

use crate::halt::{Halt, Interrupts, Pass};
use crate::table::{Field, Fixed, Fresh, Kind, Struct};
use crate::wire::{Cursor, MAX_STRING_BYTES, MAX_UNKNOWN_TAG};

/// Elements of an array that are read into a list of a known length; longer ones grow as they are read.
const PRESIZED: usize = 4096;

type Value<'py> = Bound<'py, PyAny>;

pub struct Decoder<'a, 'py> {
    py: Python<'py>,
    pub cursor: Cursor<'a>,
    interrupts: Interrupts,
    tags: &'a Bound<'py, PyString>,
    new_uuid: &'a Bound<'py, PyAny>,
}

impl<'a, 'py> Decoder<'a, 'py> {
    pub fn new(
        py: Python<'py>,
        cursor: Cursor<'a>,
        tags: &'a Bound<'py, PyString>,
        new_uuid: &'a Bound<'py, PyAny>,
    ) -> Self {
        let interrupts = Interrupts::new();
        Decoder {
            py,
            cursor,
            interrupts,
            tags,
            new_uuid,
        }
    }

    pub fn read_struct(&mut self, layout: &Struct) -> Pass<Bound<'py, PyDict>> {
        self.interrupts.tick(self.py)?;
        let value = match &layout.empty {
            Some(empty) => empty.bind(self.py).copy()?,
            None => PyDict::new(self.py),
        };
        for field in &layout.fields {
            let item = self.read_field(field)?;
            value.set_item(field.name.bind(self.py), item)?;
        }
        if layout.flexible {
            self.read_tags(layout, &value)?;
        }
        Ok(value)
    }

    fn read_tags(&mut self, layout: &Struct, value: &Bound<'py, PyDict>) -> Pass<()> {
        for field in &layout.tagged {
            value.set_item(field.name.bind(self.py), self.default_of(field)?)?;
        }
        let count = self.cursor.uvarint()?;
        if count == 0 {
            return Ok(());
        }
        let mut unknown = None;
        let mut previous = None;
        for _ in 0..count {
            self.interrupts.tick(self.py)?;
            let tag = self.cursor.uvarint()?;
            if tag > MAX_UNKNOWN_TAG || previous.is_some_and(|before| tag <= before) {
                return Err(Halt::Refused);
            }
            previous = Some(tag);
            let size = self.cursor.uvarint()? as usize;
            if size > self.cursor.left() {
                return Err(Halt::Refused);
            }
            let end = self.cursor.pos + size;
            if let Some(field) = layout.tagged.iter().find(|field| field.tag == tag) {
                let item = self.read_field(field)?;
                value.set_item(field.name.bind(self.py), item)?;
                if self.cursor.pos != end {
                    return Err(Halt::Refused);
                }
            } else if layout.reserved.contains(&tag) {
                return Err(Halt::Refused);
            } else {
                let held = unknown.get_or_insert_with(|| PyDict::new(self.py));
                held.set_item(tag, blob(self.py, self.cursor.take(size)?)?)?;
            }
        }
        if let Some(held) = unknown {
            value.set_item(self.tags, held)?;
        }
        Ok(())
    }

    fn default_of(&self, field: &Field) -> Pass<Value<'py>> {
        Ok(match &field.fresh {
            Fresh::Shared => field.default.bind(self.py).clone(),
            Fresh::List => PyList::empty(self.py).into_any(),
            Fresh::Made(make) => make.bind(self.py).call0()?,
        })
    }

    fn read_field(&mut self, field: &Field) -> Pass<Value<'py>> {
        match &field.kind {
            Kind::Fixed(fixed) => self.read_fixed(*fixed),
            Kind::Struct(layout) => Ok(self.read_struct(layout)?.into_any()),
            Kind::Text => match self.length(field, false)? {
                None => Ok(self.none()),
                Some(length) if length > MAX_STRING_BYTES => Err(Halt::Refused),
                Some(length) => {
                    let raw = self.cursor.take(length)?;
                    let text = std::str::from_utf8(raw).map_err(|_| Halt::Refused)?;
                    Ok(PyString::new(self.py, text).into_any())
                }
            },
            Kind::Blob => match self.length(field, true)? {
                None => Ok(self.none()),
                Some(length) => blob(self.py, self.cursor.take(length)?),
            },
            Kind::Optional(layout) => {
                let present = if field.compact {
                    match self.cursor.uvarint()? {
                        0 => false,
                        1 => true,
                        _ => return Err(Halt::Refused),
                    }
                } else {
                    match self.cursor.array::<1>()?[0] {
                        0xFF => false,
                        1 => true,
                        _ => return Err(Halt::Refused),
                    }
                };
                if present {
                    Ok(self.read_struct(layout)?.into_any())
                } else {
                    Ok(self.none())
                }
            }
            Kind::Numbers(fixed) => match self.count(field)? {
                None => Ok(self.none()),
                Some(count) => self.read_numbers(*fixed, count),
            },
            Kind::Items(item) => self.read_array(field, |decoder| decoder.read_field(item)),
            Kind::Structs(layout) => {
                self.read_array(field, |decoder| Ok(decoder.read_struct(layout)?.into_any()))
            }
        }
    }

    fn read_array(
        &mut self,
        field: &Field,
        mut read: impl FnMut(&mut Self) -> Pass<Value<'py>>,
    ) -> Pass<Value<'py>> {
        let Some(count) = self.count(field)? else {
            return Ok(self.none());
        };
        let list = PyList::empty(self.py);
        for _ in 0..count {
            self.interrupts.tick(self.py)?;
            list.append(read(self)?)?;
        }
        Ok(list.into_any())
    }

    fn read_numbers(&mut self, fixed: Fixed, count: usize) -> Pass<Value<'py>> {
        let size = count.checked_mul(fixed.width()).ok_or(Halt::Refused)?;
        if size > self.cursor.left() {
            return Err(Halt::Refused);
        }
        if count > PRESIZED {
            let list = PyList::empty(self.py);
            for _ in 0..count {
                self.interrupts.tick(self.py)?;
                list.append(self.read_fixed(fixed)?)?;
            }
            return Ok(list.into_any());
        }
        let raw = self.cursor.take(size)?;
        let py = self.py;
        let list = match fixed {
            Fixed::Int32 => PyList::new(py, each(raw, i32::from_be_bytes)),
            Fixed::Int64 => PyList::new(py, each(raw, i64::from_be_bytes)),
            Fixed::Int16 => PyList::new(py, each(raw, i16::from_be_bytes)),
            Fixed::Int8 => PyList::new(py, each(raw, i8::from_be_bytes)),
            Fixed::Uint16 => PyList::new(py, each(raw, u16::from_be_bytes)),
            Fixed::Uint32 => PyList::new(py, each(raw, u32::from_be_bytes)),
            Fixed::Bool => PyList::new(py, raw.iter().map(|byte| *byte != 0)),
            Fixed::Float64 => PyList::new(py, each(raw, f64::from_be_bytes)),
            Fixed::Uuid => return Err(Halt::Refused),
        }?;
        Ok(list.into_any())
    }

    fn read_fixed(&mut self, fixed: Fixed) -> Pass<Value<'py>> {
        let py = self.py;
        let cursor = &mut self.cursor;
        Ok(match fixed {
            Fixed::Bool => {
                let raw = cursor.array::<1>()?[0];
                PyBool::new(py, raw != 0).to_owned().into_any()
            }
            Fixed::Int8 => integer(py, i8::from_be_bytes(cursor.array()?).into()),
            Fixed::Int16 => integer(py, i16::from_be_bytes(cursor.array()?).into()),
            Fixed::Uint16 => integer(py, u16::from_be_bytes(cursor.array()?).into()),
            Fixed::Int32 => integer(py, i32::from_be_bytes(cursor.array()?).into()),
            Fixed::Uint32 => integer(py, u32::from_be_bytes(cursor.array()?).into()),
            Fixed::Int64 => integer(py, i64::from_be_bytes(cursor.array()?)),
            Fixed::Float64 => PyFloat::new(py, f64::from_be_bytes(cursor.array()?)).into_any(),
            Fixed::Uuid => self.new_uuid.call1((PyBytes::new(py, cursor.take(16)?),))?,
        })
    }

    fn none(&self) -> Value<'py> {
        PyNone::get(self.py).to_owned().into_any()
    }

    /// A length, or None for a null that is allowed. A compact one of 2^31 or more is negative here, and refused.
    fn length(&mut self, field: &Field, wide: bool) -> Pass<Option<usize>> {
        let length = if field.compact {
            self.cursor.uvarint()?.wrapping_sub(1) as i32
        } else if wide {
            i32::from_be_bytes(self.cursor.array()?)
        } else {
            i32::from(i16::from_be_bytes(self.cursor.array()?))
        };
        if length == -1 && field.nullable {
            return Ok(None);
        }
        match usize::try_from(length) {
            Ok(found) if found <= self.cursor.left() => Ok(Some(found)),
            _ => Err(Halt::Refused),
        }
    }

    fn count(&mut self, field: &Field) -> Pass<Option<usize>> {
        self.length(field, true)
    }
}

fn each<'a, const N: usize, T>(
    raw: &'a [u8],
    read: impl Fn([u8; N]) -> T + 'a,
) -> impl ExactSizeIterator<Item = T> + 'a {
    let (chunks, _) = raw.as_chunks::<N>();
    chunks.iter().map(move |chunk| read(*chunk))
}

fn integer(py: Python<'_>, number: i64) -> Value<'_> {
    PyInt::new(py, number).into_any()
}

fn blob<'py>(py: Python<'py>, raw: &[u8]) -> Pass<Value<'py>> {
    let held = PyBytes::new_with(py, raw.len(), |room| {
        room.copy_from_slice(raw);
        Ok(())
    })?;
    Ok(held.into_any())
}
