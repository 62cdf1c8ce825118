// The position of kafkajs's own decoder. Its response decoders make one of the whole buffer and do not return it, so the
// class is replaced in the module cache, before any other module of kafkajs asks for it: by one that is remembered.

import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const place = require.resolve('kafkajs/src/protocol/decoder')
const Decoder = require(place)

let first

require.cache[place].exports = class Watched extends Decoder {
  constructor(buffer) {
    super(buffer)
    first ??= this
  }
}

// What `decode` gives, and where the first decoder that it made stopped.
export async function watched(decode) {
  first = undefined
  const read = await decode()
  return { read, consumed: first.offset }
}
