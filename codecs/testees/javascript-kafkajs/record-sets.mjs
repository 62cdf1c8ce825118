// Record sets of kafkajs: batches for its producer's encoder and from its consumer's decoder.
//
// kafkajs's own `decodeMessages` reads a set, alone and in FetchResponse. It returns records without their batches:
// watched.mjs keeps the batches. The decoder uses a batch's attributes but does not return them. This adapter reads them
// itself, to name the compression and to reject batches that the decoder does not fully return. The records show whether
// the decoder used the attributes.
//
// ProduceRequest takes messages: kafkajs makes one batch of those of a partition, and derives its header from them. This
// adapter gives it the messages of a batch whose header is the one that a producer derives; it hands over the times as
// kafkajs documents them, as decimal strings.

import { endOf, setOf } from './watched.mjs'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { Unsupported } from './testee.mjs'

const require = createRequire(import.meta.url)
const Decoder = require('kafkajs/src/protocol/decoder')
const decodeMessages = require('kafkajs/src/protocol/requests/fetch/v4/decodeMessages')
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
  builder: 'what is no batch that a producer makes of a list of messages for each partition, with options of the request',
  'old-compression': 'of a compressed old set kafkajs returns only the messages inside',
}

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

// Returns what kafkajs makes a batch of: its messages, and the options that the batch needs.
export function messagesOf(set) {
  const [batch, ...others] = set?.batches ?? []
  if (!batch?.records?.length || others.length > 0 || set.tail) notBuilt('a record set that is not one batch of records')
  const base = BigInt(batch.baseTimestamp ?? '-1')
  const times = batch.records.map(({ timestampDelta }) => BigInt.asIntN(64, base + BigInt(timestampDelta ?? '0')))
  const last = batch.records.length - 1
  const flags = ['control', 'logAppendTime', 'deleteHorizon', 'reserved'].some((name) => batch[name])
  if (flags || batch.records.some(({ attributes }) => attributes)) notBuilt('attributes of a broker')
  const derived =
    base === times.reduce((one, other) => (other < one ? other : one)) &&
    BigInt(batch.maxTimestamp ?? '-1') === times.reduce((one, other) => (other > one ? other : one)) &&
    (batch.lastOffsetDelta ?? 0) === last &&
    BigInt(batch.baseOffset ?? '0') === 0n &&
    (batch.partitionLeaderEpoch ?? -1) === -1 &&
    batch.records.every(({ offsetDelta }, at) => (offsetDelta ?? 0) === at)
  if (batch.magic !== 2 || !derived) notBuilt('a header that does not follow from the messages')
  return {
    messages: batch.records.map(({ key, value, headers }, at) => ({
      key: bytes(key),
      value: bytes(value),
      headers: objectOf(headers ?? []),
      timestamp: times[at].toString(),
    })),
    firstSequence: batch.baseSequence ?? -1,
    options: {
      compression: batch.compression ?? 0,
      producerId: batch.producerId ?? '-1',
      producerEpoch: batch.producerEpoch ?? -1,
    },
    transactional: batch.transactional ?? false,
  }
}

// Returns kafkajs's arguments of ProduceRequest. The options of its batches are those of the request.
export function produced({ topicData, ...own }) {
  const partitions = topicData.flatMap((topic) => topic.partitions).map(({ set }) => set)
  const [first] = partitions
  const alike = ({ options, transactional }) =>
    isDeepStrictEqual(options, first.options) && transactional === (own.transactionalId !== null)
  if (!partitions.every(alike)) notBuilt('batches with other options than the request')
  return {
    ...own,
    ...first?.options,
    topicData: topicData.map((topic) => ({
      ...topic,
      partitions: topic.partitions.map(({ partition, set: { messages, firstSequence } }) => ({ partition, firstSequence, messages })),
    })),
  }
}

const notBuilt = (words) => {
  throw new Unsupported('builder', words)
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
  return read(await decodeMessages(new Decoder(Buffer.concat([size, data]))))
}

// Converts the messages of a record set, as decodeMessages returned them, to the set that they are of.
export function read(messages) {
  const { data, batches } = setOf(messages)
  if (data.length > 0 && data[16] !== 2) return readMessages(data, messages)
  const end = batches.at(-1)?.end ?? 0
  return {
    batches: batches.map(({ batch, start }) => batchToJson(batch, data.readInt16BE(start + 21))),
    tail: data.subarray(end),
  }
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
    end = endOf(message)
    const { magicByte: magic, offset, attributes, timestamp, key, value } = message
    return { magic, offset, attributes, ...(magic > 0 && { timestamp }), key, value }
  })
  return { batches, tail: data.subarray(end) }
}

// Returns the difference of two int64, with wraparound, because kafkajs adds deltas to a base with wraparound.
const difference = (one, other) => BigInt.asIntN(64, BigInt(one) - BigInt(other))

const bytes = (digits) => (digits === null || digits === undefined ? null : Buffer.from(digits, 'hex'))
