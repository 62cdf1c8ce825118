//! An example codec for one message, so that the adapter works at once. Delete this file.

const LONGEST_TEXT: usize = 0x7fff;
const HIGHEST_TAG: u32 = 0x7fff_fffe;
const LAST_VERSION: i16 = 3;

/// The error for invalid bytes and unknown versions.
pub struct Malformed(pub &'static str);

/// A request for the versions of a broker's APIs. It has fields since version 3.
#[derive(Default)]
pub struct ApiVersionsRequest {
    pub client_software_name: String,
    pub client_software_version: String,
    /// Ascending.
    pub tags: Vec<(u32, Vec<u8>)>,
}

impl ApiVersionsRequest {
    pub fn encode(&self, version: i16) -> Result<Vec<u8>, Malformed> {
        check_version(version)?;
        let mut out = Vec::new();
        if version >= 3 {
            for text in [&self.client_software_name, &self.client_software_version] {
                put_uvarint(&mut out, text.len() as u32 + 1);
                out.extend_from_slice(text.as_bytes());
            }
            put_uvarint(&mut out, self.tags.len() as u32);
            for (tag, data) in &self.tags {
                put_uvarint(&mut out, *tag);
                put_uvarint(&mut out, data.len() as u32);
                out.extend_from_slice(data);
            }
        }
        Ok(out)
    }

    /// Decodes a request and returns the number of bytes read.
    pub fn decode(version: i16, data: &[u8]) -> Result<(Self, usize), Malformed> {
        check_version(version)?;
        let mut read = Self::default();
        let mut left = data;
        if version >= 3 {
            read.client_software_name = take_text(&mut left)?;
            read.client_software_version = take_text(&mut left)?;
            for _ in 0..take_uvarint(&mut left)? {
                let tag = take_uvarint(&mut left)?;
                let length = take_uvarint(&mut left)?;
                if tag > HIGHEST_TAG || read.tags.last().is_some_and(|(last, _)| tag <= *last) {
                    return Err(Malformed("a tag number that is not above the previous one, or too large"));
                }
                read.tags.push((tag, take(&mut left, length as usize)?.to_vec()));
            }
        }
        Ok((read, data.len() - left.len()))
    }
}

fn check_version(version: i16) -> Result<(), Malformed> {
    if !(0..=LAST_VERSION).contains(&version) {
        return Err(Malformed("ApiVersionsRequest has versions 0 to 3 only"));
    }
    Ok(())
}

fn take<'a>(left: &mut &'a [u8], count: usize) -> Result<&'a [u8], Malformed> {
    if count > left.len() {
        return Err(Malformed("a length beyond the end of the data"));
    }
    let (taken, rest) = left.split_at(count);
    *left = rest;
    Ok(taken)
}

fn take_text(left: &mut &[u8]) -> Result<String, Malformed> {
    let length = take_uvarint(left)?.checked_sub(1).ok_or(Malformed("a null string"))? as usize;
    if length > LONGEST_TEXT {
        return Err(Malformed("a string that is too long"));
    }
    String::from_utf8(take(left, length)?.to_vec()).map_err(|_| Malformed("a string that is not UTF-8"))
}

fn take_uvarint(left: &mut &[u8]) -> Result<u32, Malformed> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let byte = take(left, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(number).map_err(|_| Malformed("a varint beyond 32 bits"));
        }
    }
    Err(Malformed("a varint that is too long"))
}

fn put_uvarint(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
