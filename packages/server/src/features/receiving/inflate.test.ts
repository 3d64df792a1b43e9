import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { inflateStart } from './inflate.ts'

const BYTES = 4096

describe('the beginning of deflated data', () => {
  const cases: readonly (readonly [name: string, bytes: Buffer])[] = [
    ['a short text', Buffer.from('hello')],
    ['random bytes', randomBytes(100_000)],
    ['a text', Buffer.from(words(200_000))],
    ['a program padded with zeros', Buffer.concat([Buffer.from('MZ program'), zeros()])],
    ['random bytes before zeros', Buffer.concat([randomBytes(3_000), zeros()])],
    ['a text before ten megabytes of zeros', Buffer.concat([Buffer.from(words(8_000)), zeros()])],
  ]
  for (const [name, bytes] of cases) {
    it(`of ${name}`, () => {
      const start = inflateStart(deflateRawSync(bytes), BYTES)
      const expected = bytes.subarray(0, BYTES)
      assert.ok(start !== null && start.length >= expected.length / 2)
      assert.deepEqual(start, expected.subarray(0, start.length))
    })
  }

  it('is cut off with the data', () => {
    const bytes = randomBytes(100_000)
    const start = inflateStart(deflateRawSync(bytes).subarray(0, 1_000), BYTES)
    assert.ok(start !== null && start.length > 900)
    assert.deepEqual(start, bytes.subarray(0, start.length))
  })

  it('is bounded for a decompression bomb', () => {
    assert.ok((inflateStart(deflateRawSync(zeros()), BYTES)?.length ?? 0) <= BYTES)
  })

  it('is null for damaged data', () => {
    assert.equal(inflateStart(Buffer.alloc(100, 0xff), BYTES), null)
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
