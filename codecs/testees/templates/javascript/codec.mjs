// An example codec for one message, so that the adapter works at once. Delete this file.

const LONGEST_STRING = 0x7fff
const HIGHEST_TAG = 0x7ffffffe
const LAST_VERSION = 3

export class MalformedError extends Error {
  name = 'MalformedError'
}

export function encodeApiVersionsRequest(requestVersion, { name = '', version = '', tags = new Map() }) {
  checkVersion(requestVersion)
  if (requestVersion < 3) return Buffer.alloc(0) // no fields yet
  const pieces = []
  for (const text of [name, version]) {
    const bytes = Buffer.from(text)
    pieces.push(varint(bytes.length + 1), bytes)
  }
  pieces.push(varint(tags.size))
  for (const [tag, data] of [...tags].sort(([one], [other]) => one - other)) {
    pieces.push(varint(tag), varint(data.length), data)
  }
  return Buffer.concat(pieces)
}

export function decodeApiVersionsRequest(requestVersion, data) {
  checkVersion(requestVersion)
  const reader = new Reader(data)
  const thing = { name: '', version: '', tags: new Map() }
  if (requestVersion >= 3) {
    thing.name = reader.string()
    thing.version = reader.string()
    let last = -1
    for (let left = reader.varint(); left > 0; left--) {
      const tag = reader.varint()
      if (tag <= last || tag > HIGHEST_TAG) {
        throw new MalformedError(`tag ${tag} is not above the previous one, or too large`)
      }
      thing.tags.set(tag, reader.take(reader.varint()))
      last = tag
    }
  }
  return { thing, consumed: reader.at }
}

function checkVersion(version) {
  if (version < 0 || version > LAST_VERSION) {
    throw new RangeError(`ApiVersionsRequest has versions 0 to ${LAST_VERSION}, not ${version}`)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

class Reader {
  at = 0

  constructor(data) {
    this.data = data
  }

  take(count) {
    if (count < 0 || count > this.data.length - this.at) {
      throw new MalformedError(`${count} bytes expected, ${this.data.length - this.at} left`)
    }
    return this.data.subarray(this.at, (this.at += count))
  }

  string() {
    const length = this.varint() - 1
    if (length > LONGEST_STRING) throw new MalformedError(`a string of ${length} bytes`)
    const bytes = this.take(length)
    try {
      return utf8.decode(bytes)
    } catch {
      throw new MalformedError('a string that is not UTF-8')
    }
  }

  varint() {
    for (let number = 0, shift = 0; shift < 35; shift += 7) {
      const byte = this.take(1)[0]
      number += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return number
    }
    throw new MalformedError(`a varint longer than five bytes ends at ${this.at}`)
  }
}

function varint(number) {
  const bytes = []
  for (; number > 0x7f; number = Math.floor(number / 128)) bytes.push((number % 128) | 0x80)
  return Buffer.from([...bytes, number])
}
