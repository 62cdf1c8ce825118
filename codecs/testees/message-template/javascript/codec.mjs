// An example codec for MESSAGE, so that the adapter works at once. Delete this file.

export const VERSIONS = 'VERSIONS_TEXT'
const FLEXIBLE = 'FLEXIBLE_TEXT'
const LONGEST_TEXT = 0x7fff
const HIGHEST_TAG = 0x7ffffffe

export class MalformedError extends Error {
  name = 'MalformedError'
}

// Says whether a version is one of '3-5', or of '3'; none is one of ''.
const has = (version, versions) => {
  const [first, last = first] = versions.split('-')
  return versions !== '' && Number(first) <= version && version <= Number(last)
}

const NUMBERS = {
  bool: [1, (data) => data.readUInt8() !== 0, (data, number) => data.writeUInt8(number ? 1 : 0)],
  int8: [1, (data) => data.readInt8(), (data, number) => data.writeInt8(number)],
  int16: [2, (data) => data.readInt16BE(), (data, number) => data.writeInt16BE(number)],
  uint16: [2, (data) => data.readUInt16BE(), (data, number) => data.writeUInt16BE(number)],
  int32: [4, (data) => data.readInt32BE(), (data, number) => data.writeInt32BE(number)],
  uint32: [4, (data) => data.readUInt32BE(), (data, number) => data.writeUInt32BE(number)],
  int64: [8, (data) => data.readBigInt64BE(), (data, number) => data.writeBigInt64BE(number)],
  float64: [8, (data) => data.readDoubleBE(), (data, number) => data.writeDoubleBE(number)],
}

function number(kind, held) {
  const [width, , write] = NUMBERS[kind]
  const data = Buffer.alloc(width)
  write(data, held)
  return data
}

// How a field is on the wire in a version. A row of `Class.wire` has its name, its kind, its versions and its options.
function formOf([name, kind, there, { nullable = '', tag = -1, tagged = '', compact = FLEXIBLE } = {}], version) {
  return {
    name, kind, tag,
    there: has(version, there), tagged: has(version, tagged), nullable: has(version, nullable), compact: has(version, compact),
  }
}

// Encodes a message, or a struct of it.
export function encode(thing, version) {
  checkVersion(version)
  const [pieces, tags, initial] = [[], new Map(thing.unknownTags), new thing.constructor()]
  for (const row of thing.constructor.wire) {
    const form = formOf(row, version)
    if (form.tagged) {
      const data = encodeField(form, thing[form.name], version)
      if (!data.equals(encodeField({ ...form, nullable: form.nullable || initial[form.name] === null }, initial[form.name], version))) tags.set(form.tag, data)
    } else if (form.there) {
      pieces.push(encodeField(form, thing[form.name], version))
    }
  }
  if (has(version, FLEXIBLE)) {
    pieces.push(varint(tags.size))
    for (const [tag, data] of [...tags].sort(([one], [other]) => one - other)) {
      pieces.push(varint(tag), varint(data.length), data)
    }
  }
  return Buffer.concat(pieces)
}

function encodeField(form, held, version) {
  if (held === null && !form.nullable) throw new TypeError(`null in a field that is not nullable in version ${version}`)
  if (Array.isArray(form.kind)) {
    const items = (held ?? []).map((each) => encodeItem(form.kind[0], each, form, version))
    return Buffer.concat([lengthOf(held, 'int32', form), ...items])
  }
  if (typeof form.kind === 'function' && form.nullable) {
    if (held === null) return Buffer.from([form.tagged ? 0 : 0xff])
    return Buffer.concat([Buffer.from([1]), encode(held, version)])
  }
  return encodeItem(form.kind, held, form, version)
}

function encodeItem(kind, held, form, version) {
  if (typeof kind === 'function') return encode(held, version)
  if (kind in NUMBERS) return number(kind, held)
  if (kind === 'uuid') return Buffer.from(held.replaceAll('-', ''), 'hex')
  const data = held === null ? null : Buffer.from(held)
  if (kind === 'string' && data?.length > LONGEST_TEXT) throw new RangeError(`a string of ${data.length} bytes`)
  return Buffer.concat([lengthOf(data, kind === 'string' ? 'int16' : 'int32', form), data ?? Buffer.alloc(0)])
}

function lengthOf(held, kind, { compact }) {
  const length = held === null ? -1 : held.length
  return compact ? varint(length + 1) : number(kind, length)
}

function varint(number) {
  const bytes = []
  for (; number > 0x7f; number = Math.floor(number / 128)) bytes.push((number % 128) | 0x80)
  return Buffer.from([...bytes, number])
}

// Decodes a message of a class. Returns it and the number of bytes read.
export function decode(Class, data, version) {
  checkVersion(version)
  const reader = new Reader(data, version)
  return { thing: reader.struct(Class), consumed: reader.at }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

class Reader {
  at = 0

  constructor(data, version) {
    Object.assign(this, { data, version })
  }

  struct(Class) {
    const thing = new Class()
    const forms = Class.wire.map((row) => formOf(row, this.version))
    for (const form of forms) if (form.there && !form.tagged) thing[form.name] = this.field(form)
    if (has(this.version, FLEXIBLE)) this.tags(thing, forms)
    return thing
  }

  tags(thing, forms) {
    let last = -1
    for (let left = this.varint(); left > 0; left--) {
      const tag = this.varint()
      if (tag <= last || tag > HIGHEST_TAG) throw new MalformedError(`tag ${tag} is not above the previous one, or too large`)
      last = tag
      const data = this.take(this.varint())
      const form = forms.find((each) => each.tag === tag)
      if (form === undefined) {
        thing.unknownTags.set(tag, data)
        continue
      }
      const inner = new Reader(data, this.version)
      if (!form.tagged) throw new MalformedError(`tag ${tag} is none of version ${this.version}`)
      thing[form.name] = inner.field(form)
      if (inner.at !== data.length) throw new MalformedError(`tag ${tag} has ${data.length} bytes, its field ${inner.at}`)
    }
  }

  field(form) {
    if (Array.isArray(form.kind)) {
      const count = this.length('int32', form)
      if (count > this.data.length - this.at) throw new MalformedError(`${count} elements, and fewer bytes`)
      if (count === -1) return null
      return Array.from({ length: count }, () => this.item(form.kind[0], { ...form, nullable: false }))
    }
    if (typeof form.kind === 'function' && form.nullable) {
      const [marker] = this.take(1)
      if (marker === (form.tagged ? 0 : 0xff)) return null
      if (marker !== 1) throw new MalformedError(`${marker} before a struct that may be null`)
    }
    return this.item(form.kind, form)
  }

  item(kind, form) {
    if (typeof kind === 'function') return this.struct(kind)
    if (kind in NUMBERS) return this.number(kind)
    if (kind === 'uuid') return this.take(16).toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    const length = this.length(kind === 'string' ? 'int16' : 'int32', form)
    if (length === -1) return null
    const data = this.take(length)
    if (kind !== 'string') return data
    if (length > LONGEST_TEXT) throw new MalformedError(`a string of ${length} bytes`)
    try {
      return utf8.decode(data)
    } catch {
      throw new MalformedError('a string that is not UTF-8')
    }
  }

  take(count) {
    if (count < 0 || count > this.data.length - this.at) {
      throw new MalformedError(`${count} bytes expected, ${this.data.length - this.at} left`)
    }
    return this.data.subarray(this.at, (this.at += count))
  }

  number(kind) {
    const [width, read] = NUMBERS[kind]
    return read(this.take(width))
  }

  length(kind, { compact, nullable }) {
    const length = compact ? this.varint() - 1 : this.number(kind)
    if (length < -1 || (length === -1 && !nullable)) throw new MalformedError(`the length ${length} ends at ${this.at}`)
    return length
  }

  varint() {
    for (let number = 0, shift = 0; shift < 35; shift += 7) {
      const byte = this.take(1)[0]
      number += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80 && number <= 0xffffffff) return number
    }
    throw new MalformedError(`a varint of more than 32 bits ends at ${this.at}`)
  }
}

function checkVersion(version) {
  if (!has(version, VERSIONS)) throw new RangeError(`MESSAGE has the versions ${VERSIONS}, not ${version}`)
}
// STRUCTS
