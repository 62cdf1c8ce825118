// The adapter of @platformatic/kafka, which encodes requests and decodes responses: each API at each version has a
// createRequest with Kafka's fields as its arguments, and a parseResponse.

import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import * as kafka from '@platformatic/kafka'
import { DecodeError, EncodeError, Unsupported, floatFromJson, serve } from './testee.mjs'
import { primitives } from './primitives.mjs'
import * as recordSets from './record-sets.mjs'
import { BYTES, FLOATS, LONGS, given, shapes, taken, unshapes } from './names.mjs'

const path = createRequire(import.meta.url).resolve('@platformatic/kafka').replace(/dist\/index\.js$/, 'package.json')
const { version } = createRequire(import.meta.url)(path)

// Kafka 4.1 renamed the API.
const NEWER_NAMES = { ListClientMetricsResources: 'ListConfigResources' }
const apis = new Map() // by message and version
const claims = { [recordSets.MESSAGE]: { encode: recordSets.VERSIONS, decode: recordSets.VERSIONS } }
const index = { [recordSets.MESSAGE]: { encode: recordSets.VERSIONS, decode: recordSets.VERSIONS } }
const versions = {} // by API

const adding = (text, version) => (text === undefined ? `${version}` : `${text},${version}`)

for (const [exported, { api, createRequest, parseResponse }] of Object.entries(kafka)) {
  if (api === undefined || !/V\d+$/.test(exported)) continue
  const own = kafka.protocolAPIsById[api.key]
  const name = NEWER_NAMES[own] ?? own
  for (const [message, operation, call] of [
    [`${name}Request`, 'encode', createRequest],
    [`${name}Response`, 'decode', parseResponse],
  ]) {
    if (typeof call !== 'function') continue
    index[message] = { [operation]: adding(index[message]?.[operation], api.version) }
    apis.set(`${message}/${api.version}`, { key: api.key, call, names: parametersOf(call) })
    claims[message] = { [operation]: adding(claims[message]?.[operation], api.version) }
  }
  versions[name] ??= { apiKey: api.key, versions: [] }
  versions[name].versions.push(api.version)
}

// Returns the names of a function's parameters, which are Kafka's. An underscore precedes those that the version does not
// have. A version that passes all arguments to an older one (`...args`) has the names of the older one.
function parametersOf(call) {
  const [, text] = /\(([^)]*)\)/.exec(call.toString())
  if (text.startsWith('...')) return ['groups', 'requireStable']
  return text.split(',').map((each) => each.trim().replace(/^_/, '').replace(/\W.*/, '')).filter(Boolean)
}

const unsupported = (reason, message) => {
  throw new Unsupported(reason, message)
}

// Converts a value to the codec's own object.
function toOwn(fields, value, path) {
  const own = {}
  for (const [name, item] of Object.entries(value)) {
    const here = path === '' ? name : `${path}.${name}`
    const known = fields?.get(here)
    if (name === '_tags') unsupported('tags', here)
    if (known?.isFixed) {
      if (!isDeepStrictEqual(item, known.fixed)) unsupported('field', `${here} is not taken`)
      continue
    }
    own[known?.name ?? name] = toOwnItem(fields, item, here, name)
  }
  return own
}

function toOwnItem(fields, item, path, name) {
  if (Array.isArray(item)) return item.map((each) => toOwnItem(fields, each, path, name))
  if (typeof item === 'object' && item !== null) return toOwn(fields, item, path)
  if (FLOATS.has(path)) return floatFromJson(item)
  if (typeof item !== 'string') return item
  if (LONGS.has(name)) return BigInt(item)
  return BYTES.has(name) ? Buffer.from(item, 'hex') : item
}

// Converts the codec's own object to a value, without the fields that the codec invents.
function toKafka(fields, own, version, path) {
  if (Array.isArray(own)) return own.map((each) => toKafka(fields, each, version, path))
  if (typeof own !== 'object' || own === null || Buffer.isBuffer(own)) return own
  const value = {}
  for (const [name, item] of Object.entries(own)) {
    const here = path === '' ? name : `${path}.${name}`
    const known = fields?.get(here)
    if (known && (version < known.low || version > known.high)) continue
    value[known?.name ?? name] = toKafka(fields, item, version, here)
  }
  return value
}

const codesOf = (error) => /^(PLT_KFK_|ERR_OUT_OF_RANGE|OUT_OF_BOUNDS)/.test(error.code ?? '')

// Converts the library's refusals to errors of the kit; other errors are crashes.
const declining = {
  encode: (call) => orRefusal(call, EncodeError),
  decode: (call) => orRefusal(call, DecodeError),
}

function orRefusal(call, Refusal) {
  try {
    return call()
  } catch (error) {
    const isAnswer = error instanceof kafka.ResponseError // it holds a decoded response
    if (codesOf(error) && !isAnswer) throw new Refusal(error.code, error.message)
    throw error
  }
}

// The records are in the message: it is made of the messages of all partitions.
function encodeProduce(value, version) {
  const tagged = [value, ...value.topicData, ...value.topicData.flatMap(({ partitionData }) => partitionData)]
  if (tagged.some((each) => '_tags' in each)) unsupported('tags', '_tags')
  const given = recordSets.produced(value)
  return declining.encode(() => apis.get(`ProduceRequest/${version}`).call(...given).buffer)
}

await serve({
  name: '@platformatic/kafka',
  version,
  links: { source: 'https://github.com/platformatic/kafka' },
  claims,
  index,
  primitives: primitives(declining),
  compressions: recordSets.compressions,
  recordLimits: recordSets.recordLimits,
  recordValues: true,
  whole: true,
  names: '4.4',
  limits: {
    tags: 'unknown tagged fields, of which none is written',
    field: 'a field that the codec does not take from its caller',
    enumeration: 'a group type that the codec has no name for',
    ...recordSets.limits,
  },
  registry: Object.entries(versions).map(([name, api]) => ({
    apiKey: api.apiKey,
    request: { message: `${name}Request`, versions: api.versions.join(',') },
    response: { message: `${name}Response`, versions: api.versions.join(',') },
  })),

  encode(message, version, value) {
    if (message === recordSets.MESSAGE) return declining.encode(() => recordSets.encode(value))
    if ('_tags' in value) unsupported('tags', '_tags')
    if (message === 'ProduceRequest') return encodeProduce(value, version)
    const shaped = shapes[message]?.(version, value, unsupported) ?? value
    const own = toOwn(taken.get(message), shaped, '')
    const { call, names } = apis.get(`${message}/${version}`)
    try {
      return declining.encode(() => call(...names.map((name) => own[name])).buffer)
    } catch (error) {
      if (error.message.startsWith('Unsupported Kafka group type')) unsupported('enumeration', error.message)
      throw error
    }
  },

  decode(message, version, data) {
    if (message === recordSets.MESSAGE) {
      return { value: declining.decode(() => recordSets.decode(data)), consumed: data.length }
    }
    const { call, key } = apis.get(`${message}/${version}`)
    const reader = kafka.Reader.from(data)
    let own
    try {
      own = declining.decode(() => call(0, key, version, reader))
    } catch (error) {
      if (!(error instanceof kafka.ResponseError)) throw error
      own = error.response // the decoded message contains an error code
    }
    const shaped = unshapes[message]?.(version, own) ?? own
    return { value: toKafka(given.get(message), shaped, version, ''), consumed: reader.position }
  },
})
