import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Encrypts short secrets for the store: a copy of the database alone reveals none. */
export type SecretBox = {
  /** Encrypts; the result differs each time, also for the same secret. */
  readonly seal: (secret: string) => string
  /** Decrypts; throws when the text was encrypted with another key, or changed. */
  readonly open: (sealed: string) => string
}

const VERSION = 'v1.'
const CIPHER = 'aes-256-gcm'

/** Length of the key. */
export const KEY_BYTES = 32

/** The standard nonce length of GCM; random ones stay distinct for billions of secrets. */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A box with this key. Its format is `v1.` and the base64url of nonce, tag and ciphertext. */
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
        // The cause adds nothing, and the message must never quote the text.
        throw new Error(
          'A secret cannot be decrypted: it was modified, or it was encrypted with another key',
        )
      }
    },
  }
}

/** A box that encrypts with the key of `box` and also decrypts what `older` boxes encrypted. */
export function withOlderBoxes(box: SecretBox, older: readonly SecretBox[]): SecretBox {
  return {
    seal: box.seal,
    open(sealed) {
      for (const each of older) {
        try {
          return each.open(sealed)
        } catch {
          // Encrypted by another box.
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
