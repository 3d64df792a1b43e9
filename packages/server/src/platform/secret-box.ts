import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Keeps short secrets unreadable in the store: whoever has a copy of it alone has nothing. */
export type SecretBox = {
  /** A text that only the same key opens; another one each time, also for the same secret. */
  readonly seal: (secret: string) => string
  /** The secret; throws when the text was sealed with another key, or changed. */
  readonly open: (sealed: string) => string
}

const VERSION = 'v1.'
const CIPHER = 'aes-256-gcm'

/** Length of the key that a box needs. */
export const KEY_BYTES = 32

/** The length that GCM is made for; random ones stay distinct for billions of secrets. */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A box for this key. Sealed is `v1.` and the base64url of nonce, tag and ciphertext. */
export function createSecretBox(key: Buffer): SecretBox {
  if (key.length !== KEY_BYTES) throw new Error(`A secret key has ${KEY_BYTES} bytes`)

  return {
    seal(secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
      return VERSION + bytes.toString('base64url')
    },
    open(sealed) {
      try {
        return openWith(key, sealed)
      } catch {
        // The cause would tell nothing more, and this line must never quote the text.
        throw new Error('A sealed secret does not open: it was changed, or sealed with another key')
      }
    },
  }
}

/** The same box, which also opens what older ones sealed. */
export function withOlderBoxes(box: SecretBox, older: readonly SecretBox[]): SecretBox {
  return {
    seal: box.seal,
    open(sealed) {
      for (const each of older) {
        try {
          return each.open(sealed)
        } catch {
          // Not one of its own.
        }
      }
      return box.open(sealed)
    },
  }
}

function openWith(key: Buffer, sealed: string): string {
  if (!sealed.startsWith(VERSION)) throw new Error('unknown version')
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const ciphertext = bytes.subarray(NONCE_BYTES + TAG_BYTES)
  return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8')
}
