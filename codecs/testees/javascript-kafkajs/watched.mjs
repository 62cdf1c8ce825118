// Observes the position of kafkajs's decoder. Its response decoders create one and do not return it. This module replaces
// the class in the module cache, before any other module of kafkajs loads it, by a subclass that keeps the first instance.

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

// Returns the result of `decode`, and the position where the first decoder stopped.
export async function watched(decode) {
  first = undefined
  const read = await decode()
  return { read, consumed: first.offset }
}
