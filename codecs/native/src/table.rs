//! The table of a layout, as `kafkawire.compiler.native.plan_table` makes it from the plan.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyBool, PyDict, PyFloat, PyList, PyString, PyTuple};

/// A type of a fixed width. Its codes are those of Python's `struct`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    Bool,
    Int8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Float64,
    Uuid,
}

impl Fixed {
    pub fn of(code: &str) -> PyResult<Self> {
        Ok(match code {
            "?" => Fixed::Bool,
            "b" => Fixed::Int8,
            "h" => Fixed::Int16,
            "H" => Fixed::Uint16,
            "i" => Fixed::Int32,
            "I" => Fixed::Uint32,
            "q" => Fixed::Int64,
            "d" => Fixed::Float64,
            "16s" => Fixed::Uuid,
            _ => return Err(PyValueError::new_err(format!("no fixed type {code:?}"))),
        })
    }

    /// The bytes of one value.
    pub fn width(self) -> usize {
        match self {
            Fixed::Bool | Fixed::Int8 => 1,
            Fixed::Int16 | Fixed::Uint16 => 2,
            Fixed::Int32 | Fixed::Uint32 => 4,
            Fixed::Int64 | Fixed::Float64 => 8,
            Fixed::Uuid => 16,
        }
    }
}

pub enum Kind {
    Fixed(Fixed),
    Text,
    Blob,
    Numbers(Fixed),
    Items(Box<Field>),
    Structs(Box<Struct>),
    Struct(Box<Struct>),
    Optional(Box<Struct>),
}

/// How a decoder makes the value of a tagged field that is absent.
pub enum Fresh {
    Shared,
    List,
    /// A copy of a dict whose values are immutable.
    Copied(Py<PyDict>),
    Made(Py<PyAny>),
}

pub struct Field {
    pub name: Py<PyString>,
    pub kind: Kind,
    pub nullable: bool,
    /// A varint of length + 1 before strings, bytes and arrays; the marker of a tagged struct.
    pub compact: bool,
    /// The value of an absent key. It is for reading only.
    pub default: Py<PyAny>,
    pub fresh: Fresh,
    /// The tag, and the default's bytes, which are None where it has none.
    pub tag: u32,
    pub default_bytes: Option<Vec<u8>>,
    /// Whether a default is compared as a float: NaN never is one, -0.0 is 0.0.
    pub float_default: Option<f64>,
    /// Whether the default object itself, met again, is surely at the default.
    pub same_is_default: bool,
}

pub struct Struct {
    /// A dict with each field's key, in order: a copy is filled without growing. None for few fields.
    pub empty: Option<Py<PyDict>>,
    pub flexible: bool,
    pub fields: Vec<Field>,
    pub tagged: Vec<Field>,
    /// The number of the struct among those of the table, and of its first field among all fields.
    pub id: usize,
    pub first: usize,
    /// Tags that mean a field in other versions only.
    pub reserved: Vec<u32>,
}

/// How many structs and fields a table has so far.
#[derive(Default)]
pub struct Count {
    pub structs: usize,
    pub fields: usize,
}

/// The most keys that a new dict takes before it grows.
const UNGROWN: usize = 5;

type Row<'py> = (
    bool,
    Vec<Bound<'py, PyTuple>>,
    Vec<Bound<'py, PyTuple>>,
    Vec<u32>,
);

impl Struct {
    pub fn parse(row: &Bound<'_, PyAny>, count: &mut Count) -> PyResult<Self> {
        let (flexible, fields, tagged, reserved): Row<'_> = row.extract()?;
        let (id, first) = (count.structs, count.fields);
        count.structs += 1;
        count.fields += fields.len();
        let mut parsed = |rows: Vec<Bound<'_, PyTuple>>| -> PyResult<Vec<Field>> {
            rows.iter().map(|row| Field::parse(row, count)).collect()
        };
        let (fields, tagged) = (parsed(fields)?, parsed(tagged)?);
        let empty = PyDict::new(row.py());
        for field in fields.iter().chain(&tagged) {
            empty.set_item(&field.name, row.py().None())?;
        }
        Ok(Struct {
            empty: (empty.len() > UNGROWN).then(|| empty.unbind()),
            flexible,
            fields,
            tagged,
            id,
            first,
            reserved,
        })
    }
}

impl Field {
    fn parse(row: &Bound<'_, PyTuple>, count: &mut Count) -> PyResult<Self> {
        let default = row.get_item(5)?;
        let (tag, default_bytes): (u32, Option<Vec<u8>>) =
            (row.get_item(6)?.extract()?, row.get_item(7)?.extract()?);
        let make = row.get_item(8)?;
        let fresh = match default.cast_exact::<PyDict>() {
            _ if default.is_instance_of::<PyList>() => Fresh::List,
            Ok(flat) if !flat.iter().any(|(_, item)| mutable(&item)) => {
                Fresh::Copied(flat.clone().unbind())
            }
            _ if make.is_none() => Fresh::Shared,
            _ => Fresh::Made(make.unbind()),
        };
        let float_default = match default.cast_exact::<PyFloat>() {
            Ok(number) => Some(number.extract()?),
            Err(_) => None,
        };
        let same_is_default =
            default_bytes.is_some() && float_default.is_none() && matches!(fresh, Fresh::Shared);
        Ok(Field {
            name: row.get_item(0)?.cast_into::<PyString>()?.unbind(),
            kind: Kind::parse(&row.get_item(1)?, &row.get_item(2)?, count)?,
            nullable: flag(row, 3)?,
            compact: flag(row, 4)?,
            default: default.unbind(),
            fresh,
            tag,
            default_bytes,
            float_default,
            same_is_default,
        })
    }
}

impl Kind {
    fn parse(
        kind: &Bound<'_, PyAny>,
        inner: &Bound<'_, PyAny>,
        count: &mut Count,
    ) -> PyResult<Self> {
        let fixed = || Fixed::of(inner.extract()?);
        let mut nested = || Struct::parse(inner, count).map(Box::new);
        Ok(match kind.extract()? {
            "fixed" => Kind::Fixed(fixed()?),
            "text" => Kind::Text,
            "blob" => Kind::Blob,
            "numbers" => Kind::Numbers(fixed()?),
            "items" => Kind::Items(Box::new(Field::parse(inner.cast::<PyTuple>()?, count)?)),
            "structs" => Kind::Structs(nested()?),
            "struct" => Kind::Struct(nested()?),
            "optional" => Kind::Optional(nested()?),
            other => return Err(PyValueError::new_err(format!("no kind {other:?}"))),
        })
    }
}

fn mutable(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyDict>() || item.is_instance_of::<PyList>()
}

fn flag(row: &Bound<'_, PyTuple>, index: usize) -> PyResult<bool> {
    Ok(row.get_item(index)?.cast_into::<PyBool>()?.is_true())
}
