// The adapter of kafkajs, which encodes requests and decodes responses.

import { watched } from './watched.mjs'
import { createRequire } from 'node:module'
import { DecodeError, Unsupported, serve } from './testee.mjs'
import { fields } from './names.mjs'
import * as consumerProtocol from './consumer-protocol.mjs'
import { primitives } from './primitives.mjs'
import * as recordSets from './record-sets.mjs'

const require = createRequire(import.meta.url)
const { requests } = require('kafkajs/src/protocol/requests')
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys')
const frameOf = require('kafkajs/src/protocol/request')
const { version } = require('kafkajs/package.json')

const kafkaNames = { GroupCoordinator: 'FindCoordinator' }
const apis = {} // by Kafka's name of the request and of the response
const claims = { RecordBatch: recordSets.claims }
const index = { RecordBatch: recordSets.index }
const unclaimed = { reason: 'kafkajs reads and writes old message sets in these versions, with offsets of its own', messages: {} }
const FIRST = { ProduceRequest: 3, FetchResponse: 4 } // the versions since which kafkajs reads and writes record batches
const registry = []

for (const [own, api] of Object.entries(requests)) {
  if (api.versions.length === 0) continue
  const name = kafkaNames[own] ?? own
  const versions = api.versions.join(',')
  for (const [message, operations] of [
    [`${name}Request`, { encode: versions, frame: versions }],
    [`${name}Response`, { decode: versions }],
  ]) {
    apis[message] = api
    index[message] = operations.encode ? { encode: versions } : { decode: versions }
    const claimed = api.versions.filter((each) => each >= (FIRST[message] ?? 0)).join(',')
    if (message in FIRST) unclaimed.messages[message] = `0-${FIRST[message] - 1}`
    claims[message] = Object.fromEntries(Object.keys(operations).map((operation) => [operation, claimed]))
  }
  registry.push({
    apiKey: apiKeys[own],
    request: { message: `${name}Request`, versions },
    response: { message: `${name}Response`, versions },
  })
}

// Converts a value to kafkajs's object, with its own names. Absent fields keep kafkajs's defaults.
function toOwn(struct, value, version) {
  const own = {}
  for (const name of Object.keys(value)) {
    if (!struct.some((field) => field.kafka === name)) {
      throw new Unsupported('field', `kafkajs has no field for ${name}`)
    }
  }
  for (const field of struct) {
    if (Object.hasOwn(value, field.kafka)) own[field.own] = ownValue(field, value[field.kafka], version)
  }
  return own
}

function ownValue(field, value, version) {
  if (version >= field.emptyIsNull) value ??= [] // which kafkajs writes as null
  if (field.set) return recordSets.messagesOf(value)
  if (value === null) return value
  if (field.sized) return Buffer.concat([lengthOf(value), Buffer.from(value, 'hex')])
  if (field.bytes) return Buffer.from(value, 'hex')
  if (field.wrapped) return value.map((item) => ({ [field.inner[0].own]: item }))
  if (field.flat) return value.map((item) => toOwn(field.inner, item, version)[field.inner[0].own])
  if (field.inner) return value.map((item) => toOwn(field.inner, item, version))
  return value
}

function lengthOf(digits) {
  const length = Buffer.alloc(4)
  length.writeInt32BE(digits.length / 2)
  return length
}

function toKafka(struct, own, version) {
  const value = {}
  for (const field of struct) {
    const held = own[field.own]
    if (held === undefined || version < field.from || version > field.to) continue
    if (field.merged) Object.assign(value, toKafka(field.inner, held, version))
    else if (field.inner && held !== null) value[field.kafka] = held.map((item) => toKafka(field.inner, item, version))
    else if (field.set) value[field.kafka] = recordSets.read(held)
    else value[field.kafka] = field.sized ? held.subarray(4) : held
  }
  return value
}

function requestOf(message, version, value) {
  let own = toOwn(fields[message], value, version)
  if (message === 'DeleteGroupsRequest') own = own.groupIds // kafkajs takes only the list
  if (message === 'ProduceRequest') own = recordSets.produced(own)
  if (message === 'LeaveGroupRequest' && version >= 3) {
    if (own.members.length !== 1) throw new Unsupported('members', 'kafkajs takes exactly one member')
    own = { groupId: own.groupId, ...own.members[0] }
  }
  return apis[message].protocol({ version })(own).request
}

// In flexible versions the body in kafkajs starts with the header's tag section, which is empty.
const tagged = (message) => message.includes('PartitionReassignments')
const NO_TAGS = Buffer.from([0])

await serve({
  name: 'kafkajs',
  version,
  links: { source: 'https://github.com/tulios/kafkajs' },
  claims,
  embeddedClaims: consumerProtocol.claims,
  embedded: {
    ...consumerProtocol.embedded,
    decode: (_framing, message, data) => refusing(() => consumerProtocol.decode(message, data)),
  },
  primitives: Object.fromEntries(
    Object.entries(primitives).map(([name, { decode, ...rest }]) => [
      name,
      decode ? { ...rest, decode: (data) => refusing(() => decode(data)) } : rest,
    ]),
  ),
  whole: true,
  limits: {
    members: 'any number of members but one',
    field: 'a field that kafkajs does not take from its caller',
    header: 'a request header that kafkajs does not write: another API or version, tags',
    ...recordSets.limits,
    ...consumerProtocol.limits,
  },
  compressions: recordSets.compressions,
  recordLimits: recordSets.recordLimits,
  recordValues: true,
  registry,
  index,
  unclaimed: [unclaimed, recordSets.unclaimed],

  async encode(message, version, value) {
    if (message === 'RecordBatch') return recordSets.encode(value)
    const encoder = await requestOf(message, version, value).encode()
    return tagged(message) ? encoder.buffer.subarray(1) : encoder.buffer
  },

  async frame(message, version, header, value) {
    const request = requestOf(message, version, value)
    const { correlationId = 0, clientId = '', requestApiKey, requestApiVersion, ...rest } = header
    if ((requestApiKey ?? request.apiKey) !== request.apiKey || (requestApiVersion ?? version) !== version) {
      throw new Unsupported('header', 'the header of another API or version')
    }
    if (Object.keys(rest).length > 0) throw new Unsupported('header', `${Object.keys(rest)[0]} is not written`)
    const encoder = await frameOf({ correlationId, clientId, request })
    return encoder.buffer
  },

  decode: (message, version, data) =>
    refusing(async () => {
      if (message === 'RecordBatch') return { value: await recordSets.decode(data), consumed: data.length }
      const before = tagged(message) ? NO_TAGS : Buffer.alloc(0)
      const { response } = apis[message].protocol({ version })({})
      const { read, consumed } = await watched(() => response.decode(Buffer.concat([before, data])))
      return { value: toKafka(fields[message], throttled(read), version), consumed: consumed - before.length }
    }),
})

// Converts kafkajs's refusals: its own errors, and those of Buffer about the end of the bytes, which kafkajs does not
// check itself. Other errors are crashes, including the RangeError for the length of an array.
async function refusing(decode) {
  try {
    return await decode()
  } catch (error) {
    const ended = ['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'].includes(error.code)
    if (ended || error.name?.startsWith('KafkaJS')) throw new DecodeError(error.name, error.message)
    throw error
  }
}

// If the client has to wait, kafkajs moves the time to a field of its own and sets throttleTime to zero.
function throttled(own) {
  const { clientSideThrottleTime, ...rest } = own
  return clientSideThrottleTime === undefined ? own : { ...rest, throttleTime: clientSideThrottleTime }
}
