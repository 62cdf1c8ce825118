// Primitives of kafkajs's Encoder and Decoder. Its strings and bytes are always nullable. For some types, such as uint32,
// it has only a writer, or no function that a message uses.

import './watched.mjs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const Decoder = require('kafkajs/src/protocol/decoder')
const Encoder = require('kafkajs/src/protocol/encoder')

const same = (value) => value
const bytes = (value) => (value === null ? null : Buffer.from(value, 'hex'))
const double = (value) => (typeof value === 'string' ? Buffer.from(value.slice(2), 'hex').readDoubleBE() : value)
const text = (value) => String(value)

// By Kafka's name: the end of the methods' names, and the conversions of a value to and from kafkajs.
const METHODS = {
  Bool: ['Boolean', same, same],
  Int8: ['Int8', same, same],
  Int16: ['Int16', same, same],
  Int32: ['Int32', same, same],
  Int64: ['Int64', same, text],
  Float64: ['Double', double, same],
  UnsignedVarint: ['UVarInt', Number, text],
  Varint: ['VarInt', same, same],
  Varlong: ['VarLong', same, text],
  NullableString: ['String', same, same],
  CompactNullableString: ['UVarIntString', same, same],
  NullableBytes: ['Bytes', bytes, same],
  CompactNullableBytes: ['UVarIntBytes', bytes, same],
}

const primitive = ([method, toOwn, toKafka]) => ({
  decode(data) {
    const decoder = new Decoder(data)
    const value = toKafka(decoder[`read${method}`]())
    return { value, consumed: decoder.offset }
  },
  encode: (value) => new Encoder()[`write${method}`](toOwn(value)).buffer,
})

export const primitives = {
  ...Object.fromEntries(Object.entries(METHODS).map(([name, calls]) => [name, primitive(calls)])),
  Uint32: { encode: (value) => new Encoder().writeUInt32(Number(value)).buffer }, // kafkajs cannot read one
}
