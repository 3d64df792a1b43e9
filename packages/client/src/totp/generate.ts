import { MayflyError } from '../errors.ts'
import { checkOptions, type OptionKinds } from '../options.ts'

/** Options of a code of an authenticator. */
export type TotpOptions = {
  /** The time that the code is for. Default: now. */
  readonly at?: Date | undefined
}

const TOTP = { at: 'time' } as const satisfies OptionKinds<TotpOptions>

/** The settings of an authenticator. */
type Authenticator = {
  readonly secret: Uint8Array<ArrayBuffer>
  readonly hash: string
  readonly digits: number
  readonly periodSeconds: number
}

const HASHES: Readonly<Record<string, string>> = {
  SHA1: 'SHA-1',
  SHA256: 'SHA-256',
  SHA512: 'SHA-512',
}

/** The code of an authenticator at a time (RFC 6238), of 30 seconds and 6 digits by default. */
export async function generate(secretOrUri: string, options: TotpOptions): Promise<string> {
  checkOptions(options, TOTP)
  const { secret, hash, digits, periodSeconds } = authenticatorOf(secretOrUri)
  const { at = new Date() } = options
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(at.getTime() / 1000 / periodSeconds)))
  const algorithm = { name: 'HMAC', hash }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const digest = new DataView(await crypto.subtle.sign('HMAC', key, counter))
  // The last four bits say where the number begins, whose first bit is left out (RFC 4226, 5.3).
  const begin = digest.getUint8(digest.byteLength - 1) & 0xf
  const number = digest.getUint32(begin) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

function authenticatorOf(secretOrUri: unknown): Authenticator {
  if (typeof secretOrUri !== 'string') throw new MayflyError(`A secret is a string. ${EXPECTED}`)
  const text = secretOrUri.trim()
  if (!/^otpauth:/i.test(text)) return authenticator(text, new URLSearchParams())
  if (!/^otpauth:\/\/totp\//i.test(text) || !URL.canParse(text)) {
    throw new MayflyError(`This is not a URI of time-based codes. ${EXPECTED}`)
  }
  const { searchParams } = new URL(text)
  return authenticator(searchParams.get('secret') ?? '', searchParams)
}

const EXPECTED =
  'Pass the secret in Base32, as shown for manual entry, or the otpauth://totp/… URI of the QR code.'

function authenticator(secret: string, parameters: URLSearchParams): Authenticator {
  const name = (parameters.get('algorithm') ?? 'SHA1').toUpperCase().replace('-', '')
  const hash = HASHES[name]
  if (hash === undefined) throw new MayflyError('algorithm must be SHA1, SHA256 or SHA512.')
  const digits = Number(parameters.get('digits') ?? 6)
  if (!(Number.isInteger(digits) && digits >= 6 && digits <= 10)) {
    throw new MayflyError('digits must be 6 to 10.')
  }
  const periodSeconds = Number(parameters.get('period') ?? 30)
  if (!(Number.isInteger(periodSeconds) && periodSeconds > 0)) {
    throw new MayflyError('period must be a number of seconds.')
  }
  return { secret: decodeBase32(secret), hash, digits, periodSeconds }
}

/** The bytes of Base32; the text is not shown, because it is a secret. */
function decodeBase32(text: string): Uint8Array<ArrayBuffer> {
  const letters = text.toUpperCase().replace(/[\s-]|=+$/g, '')
  if (!/^[A-Z2-7]{2,1024}$/.test(letters)) {
    throw new MayflyError(`The secret is not in Base32 (letters and 2 to 7). ${EXPECTED}`)
  }
  const bits = [...letters].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}
