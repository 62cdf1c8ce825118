// Observes what kafkajs reads and does not return: the position of its decoder, and the batches of a record set.
//
// Its response decoders create a decoder and do not return it. This module replaces the class in the module cache, before
// any other module of kafkajs loads it, by a subclass that keeps the first instance. In the same way it keeps what the
// decoder of batches returns to `decodeMessages`, which passes on the records alone, and where a message of an old set
// ended. Every result is passed on as it is.
// Only the leader epoch that ProduceRequest does not give its batches is filled in, as a broker does.

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

const messagePlace = require.resolve('kafkajs/src/protocol/message/decoder')
const decodeMessage = require(messagePlace)

const ends = new WeakMap() // by the message of an old set

require.cache[messagePlace].exports = (offset, size, decoder) => {
  const message = decodeMessage(offset, size, decoder)
  ends.set(message, decoder.offset)
  return message
}

const batchPlace = require.resolve('kafkajs/src/protocol/recordBatch/v0/decoder')
const messagesPlace = require.resolve('kafkajs/src/protocol/requests/fetch/v4/decodeMessages')
const decodeBatch = require(batchPlace)

const sets = new WeakMap() // by the list of messages that decodeMessages returned
let batches = []

require.cache[batchPlace].exports = async (decoder) => {
  const start = decoder.offset
  const batch = await decodeBatch(decoder)
  batches.push({ batch, start, end: decoder.offset })
  return batch
}

const decodeMessages = require(messagesPlace)

require.cache[messagesPlace].exports = async (decoder) => {
  const start = decoder.offset + 4
  batches = []
  const messages = await decodeMessages(decoder)
  sets.set(messages, { data: decoder.buffer.subarray(start, decoder.offset), batches })
  return messages
}

const LEADER_EPOCH_AT = 12 // behind the base offset and the size of a batch
const builderPlace = require.resolve('kafkajs/src/protocol/recordBatch/v0')
const builder = require(builderPlace)

require.cache[builderPlace].exports = {
  ...builder,
  RecordBatch: async (batch) => {
    const encoder = await builder.RecordBatch(batch)
    const left = !('partitionLeaderEpoch' in batch) && encoder.buffer.readInt32BE(LEADER_EPOCH_AT) === 0
    if (left) encoder.buffer.writeInt32BE(-1, LEADER_EPOCH_AT)
    return encoder
  },
}

// Returns the bytes of the set that these messages are of, and its batches with their places in the bytes.
export const setOf = (messages) => sets.get(messages)

// Returns the position of the decoder after a message of an old set, whatever the size of the message says.
export const endOf = (message) => ends.get(message)
