import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { constants, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { emptyBlocks, lateBomb } from '../../test/testing-archives.ts'
import { inflateStart } from './inflate.ts'

const BYTES = 4_096

function inflate(data: Buffer, workMax = 10 * BYTES) {
  return inflateStart(data, { maxBytes: BYTES, workMax })
}

describe('the beginning of deflated data', () => {
  const cases: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['a short text', Buffer.from('hello')],
    ['random bytes', randomBytes(100_000)],
    ['a text', Buffer.from(words(200_000))],
    ['a program padded with zeros', Buffer.concat([Buffer.from('MZ program'), zeros()])],
    ['random bytes before zeros', Buffer.concat([randomBytes(3_000), zeros()])],
    ['a text before ten megabytes of zeros', Buffer.concat([Buffer.from(words(8_000)), zeros()])],
  ]
  for (const [name, bytes] of cases) {
    it(`of ${name}`, () => {
      assert.deepEqual(inflate(deflateRawSync(bytes)).start, bytes.subarray(0, BYTES))
    })
  }

  it('of any bytes, however they were deflated', () => {
    const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = constants
    const options = fc.record({
      level: fc.integer({ min: 0, max: 9 }),
      strategy: fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE),
      memLevel: fc.integer({ min: 1, max: 9 }),
    })
    const few = fc.array(fc.integer({ min: 97, max: 100 }), { maxLength: 9_000 })
    const content = fc.oneof(fc.uint8Array({ maxLength: 9_000 }), few)
    fc.assert(
      fc.property(content, options, (given, how) => {
        const bytes = Buffer.from(given)
        const { start } = inflate(deflateRawSync(bytes, how))
        assert.deepEqual(start, bytes.subarray(0, BYTES))
      }),
      { numRuns: 300 },
    )
  })

  it('of a text with every code and distance', () => {
    const text = Buffer.from(words(300_000))
    const { start } = inflateStart(deflateRawSync(text, { level: 9 }), {
      maxBytes: text.length,
      workMax: 10 * text.length,
    })
    assert.deepEqual(start, text)
  })

  it('is cut off with the data', () => {
    const bytes = Buffer.from(words(100_000))
    const { start } = inflate(deflateRawSync(bytes).subarray(0, 1_000))
    assert.ok(start.length > 900)
    assert.deepEqual(start, bytes.subarray(0, start.length))
  })

  it('is found behind empty blocks', () => {
    assert.deepEqual(inflate(lateBomb()).start, Buffer.alloc(BYTES))
  })

  it('is empty for damaged data', () => {
    assert.equal(inflate(Buffer.alloc(100, 0xff)).start.length, 0)
  })

  it('is bounded, as the work is, for any data', () => {
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 30_000 }),
      fc.tuple(fc.uint8Array({ maxLength: 20 }), fc.nat({ max: 2 })).map(([bytes, type]) => {
        // The type of the first block is a valid one, so that more of it is read.
        bytes[0] = ((bytes[0] ?? 0) & 0xf8) | (type << 1)
        return bytes
      }),
    )
    fc.assert(
      fc.property(data, (bytes) => {
        const { start, work } = inflate(Buffer.from(bytes), 2 * BYTES)
        assert.ok(start.length <= BYTES)
        assert.ok(work < 9 * BYTES)
      }),
    )
  })
})

describe('the work of inflating', () => {
  it('is less than three times the bytes for real data', () => {
    for (const bytes of [Buffer.from(words(100_000)), randomBytes(100_000), zeros()]) {
      assert.ok(inflate(deflateRawSync(bytes)).work < 3 * BYTES)
    }
  })

  it('counts blocks without content', () => {
    assert.ok(inflate(emptyBlocks(1_000)).work > 40_000)
  })

  it('ends when it is used up', () => {
    const { start, work } = inflate(emptyBlocks(16_384), 2_000)
    assert.equal(start.length, 0)
    assert.ok(work >= 2_000 && work < 3_000)
  })
})

function zeros(): Buffer {
  return Buffer.alloc(10_000_000)
}

/** Text that compresses to about a third, the same in each run. */
function words(length: number): string {
  let text = ''
  for (let index = 0; text.length < length; index += 1) {
    text += `${createHash('sha1').update(String(index)).digest('hex').slice(0, 5)} order item price `
  }
  return text.slice(0, length)
}
