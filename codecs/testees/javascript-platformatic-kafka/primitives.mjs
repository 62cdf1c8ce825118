// Primitives of @platformatic/kafka's Reader and Writer. Its Writer has one method for nullable and other types; its Reader
// has two.

import * as kafka from '@platformatic/kafka'
import { floatFromJson } from './testee.mjs'

const same = (value) => value
const bytes = (value) => (value === null ? null : Buffer.from(value, 'hex'))
const text = (value) => String(value)

// By Kafka's name: the methods' names without `read` and `append`, their arguments, and the conversions of a value to and
// from the codec.
const METHODS = {
  Bool: ['Boolean', 'Boolean'],
  Int8: ['Int8', 'Int8'],
  Int16: ['Int16', 'Int16'],
  Uint16: ['UnsignedInt16', 'UnsignedInt16'],
  Int32: ['Int32', 'Int32'],
  Uint32: ['UnsignedInt32', 'UnsignedInt32', [], Number, text],
  Int64: ['Int64', 'Int64', [], BigInt],
  Float64: ['Float64', 'Float64', [], floatFromJson],
  Uuid: ['UUID', 'UUID'],
  UnsignedVarint: ['UnsignedVarInt', 'UnsignedVarInt', [], Number, text],
  Varint: ['VarInt', 'VarInt'],
  Varlong: ['VarInt64', 'VarInt64', [], BigInt],
  String: ['String', 'String', [false]],
  NullableString: ['NullableString', 'String', [false]],
  CompactString: ['String', 'String', [true]],
  CompactNullableString: ['NullableString', 'String', [true]],
  Bytes: ['Bytes', 'Bytes', [false], bytes],
  NullableBytes: ['NullableBytes', 'Bytes', [false], bytes],
  CompactBytes: ['Bytes', 'Bytes', [true], bytes],
  CompactNullableBytes: ['NullableBytes', 'Bytes', [true], bytes],
}

// `declining` runs a call and converts its refusals.
export const primitives = (declining) =>
  Object.fromEntries(
    Object.entries(METHODS).map(([name, [read, append, form = [], toOwn = same, toKafka = same]]) => [
      name,
      {
        decode(data) {
          const reader = kafka.Reader.from(data)
          const value = declining.decode(() => reader[`read${read}`](...form))
          return { value: toKafka(value), consumed: reader.position }
        },
        encode: (value) =>
          declining.encode(() => kafka.Writer.create()[`append${append}`](toOwn(value), ...form).buffer),
      },
    ]),
  )
