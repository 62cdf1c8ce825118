//! Bytes to dicts. Every count and length is compared with the remaining bytes before memory is taken.

use pyo3::exceptions::{PyMemoryError, PyUnicodeDecodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyNone, PyString};

use crate::halt::{Halt, Pass};
use crate::pause::Pause;
use crate::table::{Count, Field, Fixed, Fresh, Kind, Struct};
use crate::uuids::Uuids;
use crate::wire::{Cursor, MAX_STRING_BYTES, MAX_UNKNOWN_TAG};

/// Elements of an array that are read into a list of a known length; longer ones grow as they are read.
const PRESIZED: usize = 4096;

type Value<'py> = Bound<'py, PyAny>;

pub struct Decoder<'a, 'py> {
    py: Python<'py>,
    pub cursor: Cursor<'a>,
    pause: Pause<'a, 'py>,
    tags: &'a Bound<'py, PyString>,
    uuids: &'a Uuids,
    count: &'a Count,
    /// Of each struct in an array, the value read last if it had no tags; and where each field of that began.
    /// Both are empty before the first array that may have several elements.
    siblings: Vec<Option<Bound<'py, PyDict>>>,
    starts: Vec<usize>,
    /// The elements of the arrays that are being read.
    elements: Vec<Value<'py>>,
}

impl<'a, 'py> Decoder<'a, 'py> {
    pub fn new(
        py: Python<'py>,
        cursor: Cursor<'a>,
        pause: Pause<'a, 'py>,
        tags: &'a Bound<'py, PyString>,
        uuids: &'a Uuids,
        count: &'a Count,
    ) -> Self {
        Decoder {
            py,
            cursor,
            pause,
            tags,
            uuids,
            count,
            siblings: Vec::new(),
            starts: Vec::new(),
            elements: Vec::new(),
        }
    }

    pub fn read_struct(&mut self, layout: &Struct) -> Pass<Bound<'py, PyDict>> {
        self.pause.tick()?;
        let value = match &layout.empty {
            Some(empty) => empty.bind(self.py).copy()?,
            None => PyDict::new(self.py),
        };
        for field in &layout.fields {
            let item = self.read_field(field)?;
            value.set_item(field.name.bind(self.py), item)?;
        }
        if layout.flexible {
            self.read_tags(layout, &value, false)?;
        }
        Ok(value)
    }

    /// A struct of an array: a copy of the one before, in which the fields are set whose bytes differ.
    fn read_element(&mut self, layout: &Struct) -> Pass<Value<'py>> {
        if self.starts.is_empty() {
            return Ok(self.read_struct(layout)?.into_any());
        }
        self.pause.tick()?;
        let sibling = self.siblings[layout.id].take();
        let value = match (&sibling, &layout.empty) {
            (Some(sibling), _) => sibling.copy()?,
            (None, Some(empty)) => empty.bind(self.py).copy()?,
            (None, None) => PyDict::new(self.py),
        };
        for (place, field) in (layout.first..).zip(&layout.fields) {
            let before = std::mem::replace(&mut self.starts[place], self.cursor.pos);
            if sibling.is_some() && self.skip_same(field, before)? {
                continue;
            }
            let item = self.read_field(field)?;
            value.set_item(field.name.bind(self.py), item)?;
        }
        if !layout.flexible || self.read_tags(layout, &value, sibling.is_some())? == 0 {
            self.siblings[layout.id] = Some(value.clone());
        }
        Ok(value.into_any())
    }

    /// Pass over a field that has the same bytes at `before`, if its value is immutable.
    #[inline]
    fn skip_same(&mut self, field: &Field, before: usize) -> Pass<bool> {
        let start = self.cursor.pos;
        let same = match &field.kind {
            Kind::Fixed(fixed) => match fixed.width() {
                1 => self.cursor.same_array::<1>(before),
                2 => self.cursor.same_array::<2>(before),
                4 => self.cursor.same_array::<4>(before),
                8 => self.cursor.same_array::<8>(before),
                _ => self.cursor.same_array::<16>(before),
            },
            Kind::Text | Kind::Blob => {
                let length = self.length(field, matches!(field.kind, Kind::Blob))?;
                let size = self.cursor.pos - start + length.unwrap_or(0);
                self.cursor.pos = start;
                self.cursor.same(before, size)
            }
            _ => false,
        };
        Ok(same)
    }

    /// The number of tags on the wire. A copy of another value has the shared defaults.
    fn read_tags(
        &mut self,
        layout: &Struct,
        value: &Bound<'py, PyDict>,
        copied: bool,
    ) -> Pass<u32> {
        for field in &layout.tagged {
            if copied && matches!(field.fresh, Fresh::Shared) {
                continue;
            }
            value.set_item(field.name.bind(self.py), self.default_of(field)?)?;
        }
        let count = self.cursor.uvarint()?;
        if count == 0 {
            return Ok(0);
        }
        let mut unknown = None;
        let mut previous = None;
        for _ in 0..count {
            self.pause.tick()?;
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
        Ok(count)
    }

    fn default_of(&mut self, field: &Field) -> Pass<Value<'py>> {
        Ok(match &field.fresh {
            Fresh::Shared => field.default.bind(self.py).clone(),
            Fresh::List => PyList::empty(self.py).into_any(),
            Fresh::Copied(flat) => flat.bind(self.py).copy()?.into_any(),
            Fresh::Made(make) => {
                let make = make.bind(self.py);
                self.pause.outside(|| make.call0())?
            }
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
                    match PyString::from_bytes(self.py, raw) {
                        Ok(text) => Ok(text.into_any()),
                        Err(error) if error.is_instance_of::<PyUnicodeDecodeError>(self.py) => {
                            Err(Halt::Refused)
                        }
                        Err(error) => Err(error.into()),
                    }
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
            Kind::Structs(layout) => self.read_array(field, |decoder| decoder.read_element(layout)),
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
        match count {
            0 => return Ok(PyList::empty(self.py).into_any()),
            1 => {
                self.pause.tick()?;
                return Ok(PyList::new(self.py, [read(self)?])?.into_any());
            }
            _ => {}
        }
        if self.starts.is_empty() {
            self.starts.resize(self.count.fields, 0);
            self.siblings.resize(self.count.structs, None);
        }
        let base = self.elements.len();
        for _ in 0..count {
            self.pause.tick()?;
            let item = read(self)?;
            if self.elements.try_reserve(1).is_err() {
                return Err(PyMemoryError::new_err(()).into());
            }
            self.elements.push(item);
        }
        let list = PyList::new(self.py, self.elements.drain(base..))?;
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
                self.pause.tick()?;
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
            Fixed::Uuid => self.uuids.make(py, cursor.array()?)?,
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
