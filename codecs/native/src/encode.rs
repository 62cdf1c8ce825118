//! Dicts to bytes. A value of any other class than the plain ones is refused: the Python codecs answer it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::halt::{Halt, Pass};
use crate::output::{grow, Names, Output};
use crate::table::{Field, Kind, Struct};
use crate::wire::MAX_UNKNOWN_TAG;

type Value<'py> = Bound<'py, PyAny>;

/// The bytes of a message.
pub fn encode<'py>(layout: &Struct, value: &Value<'py>, names: &Names) -> Pass<Vec<u8>> {
    let mut encoder = Encoder(Output::new(value.py(), names));
    encoder.write_struct(layout, value)?;
    Ok(encoder.0.bytes)
}

struct Encoder<'a, 'py>(Output<'a, 'py>);

impl<'py> Encoder<'_, 'py> {
    fn write_struct(&mut self, layout: &Struct, value: &Value<'py>) -> Pass<()> {
        self.0.tick()?;
        let value = value.cast_exact::<PyDict>().map_err(|_| Halt::Refused)?;
        let mut met = 0;
        for field in &layout.fields {
            match self.0.held(value, &field.name)? {
                Some(item) => {
                    met += 1;
                    self.write_field(field, &item)?;
                }
                None => self.write_field(field, field.default.bind(self.0.py))?,
            }
        }
        let mut section = Vec::new();
        for field in &layout.tagged {
            if let Some(item) = self.0.held(value, &field.name)? {
                met += 1;
                if let Some(data) = self.tag_data(field, &item)? {
                    section.push((field.tag, data));
                }
            } else if field.default_bytes.is_none() {
                return Err(Halt::Refused);
            }
        }
        if met != value.len() {
            let known = |tag| {
                tag > MAX_UNKNOWN_TAG
                    || !layout.flexible
                    || layout.tagged.iter().any(|field| field.tag == tag)
                    || layout.reserved.contains(&tag)
            };
            for (tag, data) in self.0.unknown_tags(value, met, known)? {
                let mut held = Vec::new();
                grow(&mut held, data.as_bytes())?;
                section.push((tag, held));
            }
        }
        if layout.flexible {
            section.sort_by_key(|(tag, _)| *tag);
            self.0.uvarint(section.len())?;
            for (tag, data) in section {
                self.0.uvarint(tag as usize)?;
                self.0.uvarint(data.len())?;
                self.0.put(&data)?;
            }
        }
        Ok(())
    }

    /// The bytes of a tagged field; None where it is at its default.
    fn tag_data(&mut self, field: &Field, item: &Value<'py>) -> Pass<Option<Vec<u8>>> {
        if field.same_is_default && item.is(field.default.bind(self.0.py)) {
            return Ok(None);
        }
        let outer = std::mem::take(&mut self.0.bytes);
        let written = self.write_field(field, item);
        let data = std::mem::replace(&mut self.0.bytes, outer);
        written?;
        let at_default = match field.float_default {
            Some(default) => {
                data.first_chunk().map(|raw| f64::from_be_bytes(*raw)) == Some(default)
            }
            None => field.default_bytes.as_ref() == Some(&data),
        };
        Ok(if at_default { None } else { Some(data) })
    }

    fn write_field(&mut self, field: &Field, item: &Value<'py>) -> Pass<()> {
        match &field.kind {
            Kind::Fixed(fixed) => self.0.fixed(*fixed, item),
            Kind::Struct(layout) => self.write_struct(layout, item),
            Kind::Optional(_) if item.is_none() => {
                self.0.put(&[if field.compact { 0 } else { 0xFF }])
            }
            Kind::Optional(layout) => {
                self.0.put(&[1])?;
                self.write_struct(layout, item)
            }
            _ if item.is_none() => self.put_null(field),
            Kind::Text => self.0.text(item, |out, length| {
                let fixed = i16::try_from(length).map_err(|_| Halt::Refused)?;
                if field.compact {
                    out.uvarint(length + 1)
                } else {
                    out.put(&fixed.to_be_bytes())
                }
            }),
            Kind::Blob => self
                .0
                .blob(item, |out, length| put_length(out, field, length)),
            Kind::Numbers(fixed) => {
                let fixed = *fixed;
                self.write_array(field, item, |encoder, each| encoder.0.fixed(fixed, each))
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
        put_length(&mut self.0, field, count)?;
        let mut written = 0;
        for each in list.iter() {
            self.0.tick()?;
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

    fn put_null(&mut self, field: &Field) -> Pass<()> {
        if !field.nullable {
            Err(Halt::Refused)
        } else if field.compact {
            self.0.put(&[0])
        } else if matches!(field.kind, Kind::Text) {
            self.0.put(&[0xFF; 2])
        } else {
            self.0.put(&[0xFF; 4])
        }
    }
}

/// The prefix of bytes or of an array.
fn put_length(out: &mut Output<'_, '_>, field: &Field, length: usize) -> Pass<()> {
    let fixed = i32::try_from(length).map_err(|_| Halt::Refused)?;
    if field.compact {
        out.uvarint(length + 1)
    } else {
        out.put(&fixed.to_be_bytes())
    }
}
