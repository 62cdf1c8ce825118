// The adapter of my-codec. It only calls the codec: testee.mjs implements the protocol.

import { DecodeError, serve } from './testee.mjs'
import * as codec from './codec.mjs' // the example codec: import yours, and install it in testee.toml

// Calls the codec and converts its MalformedError to a DecodeError. The kit reports any other error as a failure of the
// codec.
function read(message, version, data) {
  try {
    return codec[`decode${message}`](version, data)
  } catch (error) {
    if (error instanceof codec.MalformedError) throw new DecodeError(error.name, error.message)
    throw error
  }
}

// Encodes the codec's own object.
const write = (message, version, thing) => codec[`encode${message}`](version, thing)

// Converts the codec's object to a value: Kafka's names, and the fields of this version. The kit converts Buffers, BigInts
// and floats.
function toValue(version, thing) {
  if (version < 3) return {}
  const value = { clientSoftwareName: thing.name, clientSoftwareVersion: thing.version }
  return thing.tags.size > 0 ? { ...value, _tags: Object.fromEntries(thing.tags) } : value
}

// Converts a value to the codec's object. Absent fields keep the codec's defaults.
function fromValue({ clientSoftwareName, clientSoftwareVersion, _tags }) {
  const tags = Object.entries(_tags ?? {}).map(([tag, hex]) => [Number(tag), Buffer.from(hex, 'hex')])
  return { name: clientSoftwareName, version: clientSoftwareVersion, tags: new Map(tags) }
}

await serve({
  name: 'my-codec',
  version: '0.1.0', // better: read it from the codec
  claims: { ApiVersionsRequest: { decode: '0-3', encode: '0-3', reencode: '0-3' } },
  // Claim record sets as the message RecordBatch, with `compressions`. For messages inside other data use `embedded`.
  // `index` lists all messages that your codec implements, read from the codec itself. List those without a claim in
  // `unclaimed`, with the reason.
  index: { ApiVersionsRequest: { encode: '0-3', decode: '0-3' } },
  decode(message, version, data) {
    const { thing, consumed } = read(message, version, data)
    return { value: toValue(version, thing), consumed }
  },
  encode: (message, version, value) => write(message, version, fromValue(value)),
  reencode(message, version, data) {
    const { thing, consumed } = read(message, version, data)
    return { data: write(message, version, thing), consumed }
  },
})
