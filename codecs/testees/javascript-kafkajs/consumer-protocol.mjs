// kafkajs's assigner protocol: subscriptions and assignments after their version.

import { watched } from './watched.mjs'
import { createRequire } from 'node:module'
import { Unsupported } from './testee.mjs'

const require = createRequire(import.meta.url)
const { MemberAssignment, MemberMetadata } = require('kafkajs/src/consumer/assignerProtocol')

const VERSIONS = '0' // it writes any version, but only the fields of version 0
export const claims = {
  ConsumerProtocolSubscription: { decode: VERSIONS, encode: VERSIONS },
  ConsumerProtocolAssignment: { decode: VERSIONS, encode: VERSIONS },
}
export const limits = {
  assignment: 'topics of an assignment are the keys of an object: repeated ones are one, numbers come first',
}

const userData = ({ userData: data }) => (data === undefined || data === null ? data : Buffer.from(data, 'hex'))

const messages = {
  ConsumerProtocolSubscription: {
    own: MemberMetadata,
    toOwn: (value) => ({ topics: value.topics }),
    toKafka: ({ topics }) => ({ topics }),
  },
  ConsumerProtocolAssignment: {
    own: MemberAssignment,
    toOwn: ({ assignedPartitions }) => ({ assignment: assignmentOf(assignedPartitions) }),
    toKafka: ({ assignment }) => ({
      assignedPartitions: Object.entries(assignment).map(([topic, partitions]) => ({ topic, partitions })),
    }),
  },
}

function assignmentOf(topics) {
  const assignment = Object.fromEntries(topics.map(({ topic, partitions }) => [topic, partitions]))
  if (Object.keys(assignment).join('\0') !== topics.map(({ topic }) => topic).join('\0')) {
    throw new Unsupported('assignment', 'an order that an object does not keep')
  }
  return assignment
}

export const embedded = {
  encode: (_framing, message, version, value) =>
    messages[message].own.encode({ version, ...messages[message].toOwn(value), userData: userData(value) }),
}

export async function decode(message, data) {
  const { own, toKafka } = messages[message]
  const { read, consumed } = await watched(() => own.decode(data))
  return { message, version: read.version, value: { ...toKafka(read), userData: read.userData }, consumed }
}
