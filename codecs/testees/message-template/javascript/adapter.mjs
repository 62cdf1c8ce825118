// The adapter of my-codec. It only calls the codec: testee.mjs implements the protocol.

import {
  // <decode>
  DecodeError,
  // </decode>
  // <encode>
  floatFromJson,
  // </encode>
  serve,
} from './testee.mjs'
import * as codec from './codec.mjs' // the example codec: import yours, and install it in testee.toml

// A struct of Kafka as a class of the codec. Each row has Kafka's name of a field, the codec's property, the versions that
// have it, and the type: Kafka's name of a scalar, the shape of a struct, or a list of one of these for arrays. Null is null.
const shape = (Class, rows) => ({ Class, rows })

// SHAPES

// <decode>
// Calls the codec and converts its MalformedError to a DecodeError. The kit reports any other error as a failure of the
// codec.
function read(version, data) {
  try {
    return codec.decode(ROOT.Class, data, version)
  } catch (error) {
    if (error instanceof codec.MalformedError) throw new DecodeError(error.name, error.message)
    throw error
  }
}

const has = (version, versions) => {
  const [first, last = first] = versions.split('-').map(Number)
  return first <= version && version <= last
}

// Converts the codec's object to a value: Kafka's names, and the fields of this version. The kit converts Buffers, BigInts
// and floats.
function toValue(kind, item, version) {
  if (item === null) return null
  if (Array.isArray(kind)) return item.map((each) => toValue(kind[0], each, version))
  if (kind === 'uint32') return String(item)
  if (typeof kind === 'string') return item
  const rows = kind.rows.filter(([, , versions]) => has(version, versions))
  const value = Object.fromEntries(rows.map(([name, held, , inner]) => [name, toValue(inner, item[held], version)]))
  return item.unknownTags.size > 0 ? { ...value, _tags: Object.fromEntries(item.unknownTags) } : value
}

// </decode>
// <encode>
const FROM_JSON = {
  int64: BigInt,
  uint32: Number,
  float64: floatFromJson,
  bytes: (digits) => Buffer.from(digits, 'hex'),
  records: (digits) => Buffer.from(digits, 'hex'),
}

// Converts a value to the codec's object. Absent fields keep the codec's defaults.
function fromValue(kind, value) {
  if (value === null) return null
  if (Array.isArray(kind)) return value.map((each) => fromValue(kind[0], each))
  if (typeof kind === 'string') return FROM_JSON[kind]?.(value) ?? value
  const thing = new kind.Class()
  for (const [name, held, , inner] of kind.rows) if (name in value) thing[held] = fromValue(inner, value[name])
  thing.unknownTags = new Map(Object.entries(value._tags ?? {}).map(([tag, hex]) => [Number(tag), Buffer.from(hex, 'hex')]))
  return thing
}

// </encode>
await serve({
  name: 'my-codec',
  version: '0.1.0', // better: read it from the codec
  claims: { MESSAGE: { OPERATIONS } },
  // Claim record sets as the message RecordBatch, with `compressions`. For messages inside other data use `embedded`.
  // `index` lists all messages that your codec implements, read from the codec itself. List those without a claim in
  // `unclaimed`, with the reason.
  index: { MESSAGE: { WAYS } },
  // <decode>
  decode(message, version, data) {
    const { thing, consumed } = read(version, data)
    return { value: toValue(ROOT, thing, version), consumed }
  },
  // </decode>
  // <encode>
  encode: (message, version, value) => codec.encode(fromValue(ROOT, value), version),
  // </encode>
  // <both>
  reencode(message, version, data) {
    const { thing, consumed } = read(version, data)
    return { data: codec.encode(thing, version), consumed }
  },
  // </both>
})
