import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createSecretBox } from './secret-box.ts'

const KEY = Buffer.alloc(32, 7)
const DOES_NOT_OPEN = /cannot be decrypted/

describe('a secret box', () => {
  it('opens what it sealed, whatever that is', () => {
    const box = createSecretBox(KEY)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (secret) => {
        assert.equal(createSecretBox(KEY).open(box.seal(secret)), secret)
      }),
    )
  })

  it('seals the same secret differently each time, and shows nothing of it', () => {
    const box = createSecretBox(KEY)
    const sealed = Array.from({ length: 100 }, () => box.seal('whsec_topsecret'))
    assert.equal(new Set(sealed).size, 100)
    for (const text of sealed) {
      assert.match(text, /^v1\.[\w-]+$/)
      assert.ok(!Buffer.from(text.slice(3), 'base64url').includes('topsecret'))
    }
  })

  it('keeps its format: nonce, tag, ciphertext of AES-256-GCM', () => {
    const nonce = Buffer.alloc(12, 1)
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce)
    const ciphertext = Buffer.concat([cipher.update('whsec_abc'), cipher.final()])
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
    assert.equal(createSecretBox(KEY).open(`v1.${bytes.toString('base64url')}`), 'whsec_abc')
  })

  it('does not open with another key', () => {
    const sealed = createSecretBox(KEY).seal('x')
    assert.throws(() => createSecretBox(Buffer.alloc(32, 8)).open(sealed), DOES_NOT_OPEN)
  })

  it('does not open when a single bit was changed, or some of it is missing', () => {
    const box = createSecretBox(KEY)
    const bytes = Buffer.from(box.seal('secret').slice(3), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.throws(() => box.open(`v1.${changed.toString('base64url')}`), DOES_NOT_OPEN)
    }
    for (let length = 0; length < bytes.length; length++) {
      const short = bytes.subarray(0, length).toString('base64url')
      assert.throws(() => box.open(`v1.${short}`), DOES_NOT_OPEN)
    }
  })

  it('does not open what it does not know', () => {
    const box = createSecretBox(KEY)
    const sealed = box.seal('x')
    for (const text of ['', 'v1', 'v1.', 'x', sealed.slice(3), sealed.replace('v1', 'v2')]) {
      assert.throws(() => box.open(text), DOES_NOT_OPEN)
    }
  })

  it('is not made for a key of another length', () => {
    for (const length of [0, 16, 31, 33]) {
      assert.throws(() => createSecretBox(Buffer.alloc(length)), /32 bytes/)
    }
  })
})
