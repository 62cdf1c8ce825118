//! Dicts to the canonical binary, by the table that `kafkawire.canonical` makes. It shares no table with the codecs.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::guarded;
use crate::halt::{Halt, Pass};
use crate::output::{Names, Output};
use crate::table::Fixed;

type Value<'py> = Bound<'py, PyAny>;

enum Kind {
    Fixed(Fixed),
    Text,
    Blob,
    Struct(Box<Form>),
}

struct Field {
    name: Py<PyString>,
    array: bool,
    kind: Kind,
    /// Whether null has a form.
    nullable: bool,
    /// Whether a byte before a struct says that it is there.
    marked: bool,
    /// The value of an absent key. It is for reading only.
    default: Py<PyAny>,
}

/// A struct: flexible, its fields, and the tags that unknown fields cannot have.
struct Form {
    flexible: bool,
    fields: Vec<Field>,
    tags: Vec<u32>,
}

type Row<'py> = (Py<PyString>, bool, Value<'py>, bool, bool, Py<PyAny>);

impl Form {
    fn parse(row: &Value<'_>) -> PyResult<Self> {
        let (flexible, fields, tags): (bool, Vec<Row<'_>>, Vec<u32>) = row.extract()?;
        let field = |(name, array, kind, nullable, marked, default): Row<'_>| {
            let kind = match kind.cast::<PyString>() {
                Err(_) => Kind::Struct(Box::new(Form::parse(&kind)?)),
                Ok(code) => match code.to_str()? {
                    "text" => Kind::Text,
                    "blob" => Kind::Blob,
                    code => Kind::Fixed(Fixed::of(code)?),
                },
            };
            Ok(Field {
                name,
                array,
                kind,
                nullable,
                marked,
                default,
            })
        };
        let fields = fields.into_iter().map(field).collect::<PyResult<_>>()?;
        Ok(Form {
            flexible,
            fields,
            tags,
        })
    }

    fn write<'py>(&self, out: &mut Output<'_, 'py>, value: &Value<'py>) -> Pass<()> {
        out.tick()?;
        let value = value.cast_exact::<PyDict>().map_err(|_| Halt::Refused)?;
        let mut met = 0;
        for field in &self.fields {
            match out.held(value, &field.name)? {
                Some(item) => {
                    met += 1;
                    field.write(out, &item)?;
                }
                None => field.write(out, field.default.bind(out.py))?,
            }
        }
        let mut tags = Vec::new();
        if met != value.len() {
            let known = |tag| !self.flexible || self.tags.contains(&tag);
            tags = out.unknown_tags(value, met, known)?;
        }
        if self.flexible {
            length(out, tags.len())?;
            for (tag, data) in tags {
                out.put(&tag.to_be_bytes())?;
                out.blob(&data.into_any(), length)?;
            }
        }
        Ok(())
    }
}

impl Field {
    fn write<'py>(&self, out: &mut Output<'_, 'py>, item: &Value<'py>) -> Pass<()> {
        if item.is_none() {
            let null: &[u8] = if self.marked { &[0] } else { &[0xFF; 4] };
            return if self.nullable {
                out.put(null)
            } else {
                Err(Halt::Refused)
            };
        }
        if !self.array {
            if self.marked {
                out.put(&[1])?;
            }
            return self.write_item(out, item);
        }
        let list = item.cast_exact::<PyList>().map_err(|_| Halt::Refused)?;
        let count = list.len();
        length(out, count)?;
        let mut written = 0;
        for each in list.iter() {
            out.tick()?;
            self.write_item(out, &each)?;
            written += 1;
        }
        // Code of the value's own classes may have changed the list.
        if written == count {
            Ok(())
        } else {
            Err(Halt::Refused)
        }
    }

    fn write_item<'py>(&self, out: &mut Output<'_, 'py>, item: &Value<'py>) -> Pass<()> {
        match &self.kind {
            Kind::Fixed(fixed) => out.fixed(*fixed, item),
            Kind::Text => out.text(item, length),
            Kind::Blob => out.blob(item, length),
            Kind::Struct(form) => form.write(out, item),
        }
    }
}

/// A length or a count.
fn length(out: &mut Output<'_, '_>, length: usize) -> Pass<()> {
    let length = i32::try_from(length).map_err(|_| Halt::Refused)?;
    out.put(&length.to_be_bytes())
}

/// The canonical binary of one layout's values.
#[pyclass(frozen, module = "kafkawire_native")]
pub struct Canonical {
    root: Form,
    names: Names,
    refused: Py<PyAny>,
}

#[pymethods]
impl Canonical {
    /// Args:
    ///     table: what `kafkawire.canonical` makes of the layout.
    ///     uuid: the class.
    ///     refused: what answers the values that are refused here.
    #[new]
    fn new(table: &Value<'_>, uuid: Py<PyType>, refused: Py<PyAny>) -> PyResult<Self> {
        Ok(Canonical {
            root: Form::parse(table)?,
            names: Names::new(table.py(), uuid),
            refused,
        })
    }

    fn to_binary<'py>(&self, value: &Value<'py>) -> PyResult<Value<'py>> {
        let mut out = Output::new(value.py(), &self.names);
        match guarded(|| self.root.write(&mut out, value))? {
            Some(()) => crate::shared(value.py(), &out.bytes),
            None => self.refused.bind(value.py()).call1((value,)),
        }
    }
}
