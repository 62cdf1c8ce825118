// Record sets of kafkajs: batches for its producer's encoder and from its consumer's decoder.
//
// The decoder uses a batch's attributes but does not return them. This adapter reads them itself, to name the compression
// and to reject batches that the decoder does not fully return. The records show whether the decoder used the attributes.
// kafkajs's own `decodeMessages`, which returns records without their batches, decides what the consumer refuses.

import './watched.mjs'
import { createRequire } from 'node:module'
import { Unsupported } from './testee.mjs'

const require = createRequire(import.meta.url)
const Decoder = require('kafkajs/src/protocol/decoder')
const decodeMessages = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages')
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder')
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0')
const Record = require('kafkajs/src/protocol/recordBatch/record/v0')
const { LOG_APPEND_TIME } = require('kafkajs/src/protocol/timestampTypes')
const Long = require('kafkajs/src/utils/long')

export const claims = { encode: '2', decode: '0-2' }
export const index = { encode: '0-2', decode: '0-2' }
export const compressions = { none: '0-2', gzip: '2' }
export const unclaimed = {
  reason: 'kafkajs gives the messages of an old set offsets of its own',
  way: 'encode',
  messages: { RecordBatch: '0-1' },
}
export const recordLimits = ['tail', 'control', 'append-time', 'delete-horizon', 'unused-bits', 'header-keys']
export const limits = {
  broker: 'what brokers alone write: control batches, log-append time, delete horizons, unused bits',
  tail: 'a batch that is cut off is read past, and never written',
  headers: 'the headers of a record are the keys of an object: repeated ones are grouped, numbers come first',
  'append-time': "a record's own timestamp where a batch of log-append time shows its own",
  'old-compression': 'of a compressed old set kafkajs returns only the messages inside',
}

const OVERHEAD = 49 // the number of bytes that decodeMessages requires before it reads a batch
const PREFIX = 12 // the bytes of offset and size

export async function encode(value) {
  if (value.tail) throw new Unsupported('tail', 'bytes of a batch that is cut off')
  const written = []
  for (const batch of value.batches ?? []) written.push(await writtenBatch(batch))
  return Buffer.concat(written)
}

async function writtenBatch(batch) {
  for (const name of ['control', 'logAppendTime', 'deleteHorizon', 'reserved']) {
    if (batch[name]) throw new Unsupported('broker', `kafkajs does not write ${name}`)
  }
  const encoder = await RecordBatch({
    compression: batch.compression ?? 0,
    firstOffset: Long.fromValue(batch.baseOffset ?? '0'),
    firstTimestamp: Long.fromValue(batch.baseTimestamp ?? '-1'),
    maxTimestamp: Long.fromValue(batch.maxTimestamp ?? '-1'),
    partitionLeaderEpoch: batch.partitionLeaderEpoch ?? -1,
    lastOffsetDelta: batch.lastOffsetDelta ?? 0,
    transactional: batch.transactional ?? false,
    producerId: Long.fromValue(batch.producerId ?? '-1'),
    producerEpoch: batch.producerEpoch ?? -1,
    firstSequence: batch.baseSequence ?? -1,
    records: (batch.records ?? []).map(writtenRecord),
  })
  return encoder.buffer
}

function writtenRecord(record) {
  if (record.attributes) throw new Unsupported('broker', 'attributes of a record')
  return Record({
    offsetDelta: record.offsetDelta ?? 0,
    timestampDelta: Long.fromValue(record.timestampDelta ?? '0'),
    key: bytes(record.key),
    value: bytes(record.value),
    headers: objectOf(record.headers ?? []),
  })
}

function objectOf(headers) {
  const object = {}
  for (const { key = '', value } of headers) {
    if (!Object.hasOwn(object, key)) object[key] = bytes(value)
    else object[key] = Array.isArray(object[key]) ? [...object[key], bytes(value)] : [object[key], bytes(value)]
  }
  const kept = listOf(object)
  if (!headers.every((header, at) => (header.key ?? '') === kept[at]?.key && kept.length === headers.length)) {
    throw new Unsupported('headers', 'an order that an object does not keep')
  }
  return object
}

function listOf(headers) {
  return Object.entries(headers).flatMap(([key, value]) =>
    Array.isArray(value) ? value.map((each) => ({ key, value: each })) : [{ key, value }],
  )
}

export async function decode(data) {
  const size = Buffer.alloc(4)
  size.writeInt32BE(data.length)
  const flat = await decodeMessages(new Decoder(Buffer.concat([size, data])))
  return data.length > 0 && data[16] === 2 ? readBatches(data) : readMessages(data, flat)
}

async function readBatches(data) {
  const decoder = new Decoder(data)
  const batches = []
  let start = 0
  while (decoder.canReadBytes(OVERHEAD)) {
    start = decoder.offset
    const whole = start + PREFIX + data.readInt32BE(start + 8) <= data.length
    if (!whole) break
    batches.push(batchToJson(await decodeBatch(decoder), data.readInt16BE(start + 21)))
    start = decoder.offset
  }
  return { batches, tail: data.subarray(start) }
}

function batchToJson(batch, attributes) {
  const hidden = batch.records.length > 0 && batch.records.every(({ timestamp }) => timestamp === batch.maxTimestamp)
  if (batch.timestampType === LOG_APPEND_TIME && hidden) throw new Unsupported('append-time', 'each record has the time of the batch')
  if (attributes & ~0x3f) throw new Unsupported('broker', 'attributes that kafkajs does not return')
  return {
    magic: 2,
    compression: attributes & 7,
    baseOffset: batch.firstOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    logAppendTime: batch.timestampType === LOG_APPEND_TIME,
    transactional: batch.inTransaction,
    control: batch.isControlBatch,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: batch.firstTimestamp,
    maxTimestamp: batch.maxTimestamp,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.firstSequence,
    records: batch.records.map((record) => ({
      attributes: record.attributes,
      timestampDelta: difference(record.timestamp, batch.firstTimestamp),
      offsetDelta: Number(difference(record.offset, batch.firstOffset)),
      key: record.key,
      value: record.value,
      headers: listOf(record.headers),
    })),
  }
}

function readMessages(data, messages) {
  let end = 0
  const batches = messages.map((message) => {
    if (data[end + 17] & 7) throw new Unsupported('old-compression', 'a set inside a message')
    end += PREFIX + message.size
    const { magicByte: magic, offset, attributes, timestamp, key, value } = message
    return { magic, offset, attributes, ...(magic > 0 && { timestamp }), key, value }
  })
  return { batches, tail: data.subarray(end) }
}

// Returns the difference of two int64, with wraparound, because kafkajs adds deltas to a base with wraparound.
const difference = (one, other) => BigInt.asIntN(64, BigInt(one) - BigInt(other))

const bytes = (digits) => (digits === null || digits === undefined ? null : Buffer.from(digits, 'hex'))
