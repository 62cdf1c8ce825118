// Record sets of @platformatic/kafka: batches of magic 2 that its producer builds from messages and its consumer reads.
//
// The producer leaves the base offset to the broker. This adapter sets it, but only where the library writes zero.

import * as kafka from '@platformatic/kafka'
import { Unsupported } from './testee.mjs'

export const MESSAGE = 'RecordBatch'
export const VERSIONS = '2'
export const recordLimits = [
  'tail',
  'control',
  'append-time',
  'delete-horizon',
  'unused-bits',
  'derived-header',
  'first-offset',
  'consecutive-offsets',
]
export const limits = {
  broker: 'what brokers alone write: control batches, log-append time, delete horizons, unused bits',
  builder: 'a batch whose header does not follow from its messages, or that holds none',
  cut: 'a batch that is cut off is read past, and never written',
}

const NAMES = Object.fromEntries(Object.entries(kafka.compressionsAlgorithms).map(([name, { bitmask }]) => [bitmask, name]))
const FLAGS = { logAppendTime: 3, transactional: 4, control: 5, deleteHorizon: 6 } // bits of the attributes

// The compressions that the library can use with this version of Node.
export const compressions = Object.entries(kafka.compressionsAlgorithms)
  .filter(([, { available }]) => available)
  .map(([name]) => name)

export function decode(data) {
  const reader = kafka.Reader.from(data)
  const batches = kafka.readRecordsBatches(reader).map(batchToJson)
  return { batches, tail: data.subarray(reader.position) }
}

// Returns a record set for the batches that FetchResponse holds.
export const setOf = (batches) => (batches === null ? null : { batches: batches.map(batchToJson) })

function batchToJson(batch) {
  const flags = Object.entries(FLAGS).map(([name, bit]) => [name, (batch.attributes & (1 << bit)) !== 0])
  return {
    magic: batch.magic,
    compression: batch.attributes & kafka.IS_COMPRESSED,
    ...Object.fromEntries(flags),
    reserved: (batch.attributes & 0xffff) >> 7,
    baseOffset: batch.firstOffset,
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    lastOffsetDelta: batch.lastOffsetDelta,
    baseTimestamp: batch.firstTimestamp,
    maxTimestamp: batch.maxTimestamp,
    producerId: batch.producerId,
    producerEpoch: batch.producerEpoch,
    baseSequence: batch.firstSequence,
    records: batch.records.map(({ attributes, timestampDelta, offsetDelta, key, value, headers }) => ({
      attributes,
      timestampDelta,
      offsetDelta,
      key,
      value,
      headers: headers.map(([name, held]) => ({ key: name?.toString('utf8') ?? null, value: held })),
    })),
  }
}

export function encode(value) {
  if (value.tail) throw new Unsupported('cut', 'bytes of a batch that is cut off')
  return Buffer.concat((value.batches ?? []).map(writtenBatch))
}

// Returns the messages of a batch, as a producer gives them to the library.
function messagesOf(batch) {
  const records = batch.records ?? []
  const base = BigInt(batch.baseTimestamp ?? '-1')
  checkBuildable(batch, records, base)
  return records.map((record) => ({
    key: bytes(record.key),
    value: bytes(record.value),
    timestamp: base + BigInt(record.timestampDelta ?? '0'),
    headers: new Map((record.headers ?? []).map((header) => [bytesOfText(header.key ?? ''), bytes(header.value)])),
  }))
}

const optionsOf = (batch) => ({
  compression: NAMES[batch.compression ?? 0],
  producerId: BigInt(batch.producerId ?? '-1'),
  producerEpoch: batch.producerEpoch ?? -1,
  partitionLeaderEpoch: batch.partitionLeaderEpoch ?? -1,
  transactionalId: batch.transactional ? 'any' : undefined,
  sequences: { getWithDefault: () => batch.baseSequence ?? -1 },
})

// Returns the arguments of ProduceRequest for a value. The library makes a batch of the messages of each partition, all of
// them with the same options.
export function produced({ transactionalId, acks, timeoutMs, topicData }) {
  const partitions = topicData.flatMap(({ name, partitionData }) => partitionData.map((partition) => ({ name, ...partition })))
  const places = partitions.map(({ name, index }) => JSON.stringify([name, index]))
  const batches = partitions.map(({ records }) => records?.batches ?? [])
  const whole = topicData.every(({ partitionData }) => partitionData.length > 0) && batches.every((each) => each.length === 1)
  const apart = new Set(topicData.map(({ name }) => name)).size === topicData.length && new Set(places).size === places.length
  if (!whole || !apart) throw new Unsupported('builder', 'partitions that are not of one batch each, or occur twice')
  const named = ({ compression, transactional, producerId, producerEpoch, baseSequence, partitionLeaderEpoch }) =>
    JSON.stringify([compression, transactional, producerId, producerEpoch, baseSequence, partitionLeaderEpoch])
  const [first] = batches.flat()
  const alike = batches.flat().every((batch) => named(batch) === named(first) && BigInt(batch.baseOffset ?? '0') === 0n)
  if (!alike || (first?.transactional ?? false) !== (transactionalId !== null)) {
    throw new Unsupported('builder', 'batches with other options than the request')
  }
  const messages = partitions.flatMap(({ name, index }, at) =>
    messagesOf(batches[at][0]).map((message) => ({ ...message, topic: name, partition: index })),
  )
  const options = first === undefined ? {} : { ...optionsOf(first), transactionalId: transactionalId ?? undefined }
  return [acks, timeoutMs, messages, options]
}

function writtenBatch(batch) {
  const written = kafka.createRecordsBatch(messagesOf(batch), optionsOf(batch)).buffer
  if (written.readBigInt64BE(0) === 0n) written.writeBigInt64BE(BigInt(batch.baseOffset ?? '0'))
  return written
}

// Throws Unsupported for a batch that the producer cannot build.
function checkBuildable(batch, records, base) {
  const beyond = ['control', 'logAppendTime', 'deleteHorizon', 'reserved'].find((name) => batch[name])
  if (beyond || records.some(({ attributes }) => attributes)) throw new Unsupported('broker', beyond ?? 'attributes')
  const times = records.map(({ timestampDelta }) => BigInt(timestampDelta ?? '0'))
  const latest = times.reduce((one, other) => (other > one ? other : one), 0n)
  const follows =
    records.length > 0 &&
    times[0] === 0n &&
    base + latest === BigInt(batch.maxTimestamp ?? '-1') &&
    (batch.lastOffsetDelta ?? 0) === records.length - 1 &&
    records.every(({ offsetDelta }, index) => (offsetDelta ?? 0) === index)
  if (!follows) throw new Unsupported('builder', 'a header that does not follow from the messages')
}

const bytesOfText = (text) => Buffer.from(text, 'utf8')
const bytes = (digits) => (digits === null || digits === undefined ? null : Buffer.from(digits, 'hex'))
