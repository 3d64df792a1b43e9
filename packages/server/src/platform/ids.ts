import { randomBytes, randomFillSync } from 'node:crypto'
import { type Environment, ID_PREFIXES, type Id, type IdKind } from '@mayfly/contract'

/** Crockford's alphabet, lower case: sorts as its values do, and no letter looks like a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 10 characters of time, 48 bits of milliseconds. */
const TIME_LENGTH = 10

/** 16 characters of chance, 80 bits: nobody finds an id by trying. */
const RANDOM_LENGTH = 16

/** 50 bits: short enough to read aloud, and a collision is retried. */
const LOCAL_PART_LENGTH = 10

/** 43 characters of 62: 256 bits. */
const API_SECRET_LENGTH = 43

/** 160 bits: nobody publishes another's by accident. */
const CHALLENGE_LENGTH = 32

/** Makes everything that must be new and unguessable. */
export type Ids = {
  /** An id that sorts by the time of its creation. */
  next<Kind extends IdKind>(kind: Kind): Id<Kind>
  /** The part before the @ of an address that nobody chose. */
  localPart(): string
  /** Names a mail, whatever the number of inboxes that it is in. */
  mailId(): string
  /** Names one entry of the diagnostics. */
  diagnosticId(): string
  /** Names one request in the log and in its answer. */
  requestId(): string
  /** Names this run of this node among all others. */
  node(): string
  /** What the owner of a domain publishes to prove it. */
  challenge(): string
  /** A secret of 256 bits, in letters and digits. */
  secret(): string
  /** A word that nobody can foresee, to mark what must not be forged. */
  mark(): string
  /** A new API key. */
  apiKey(environment: Environment): string
  /** Bytes that nobody can guess, to make another secret of. */
  randomBytes(length: number): Uint8Array
  /** From 0 to 1: how much of a jitter to take. */
  fraction(): number
}

/** Ids from the system's randomness and the given clock. */
export function createIds(clock: { now(): number }): Ids {
  const sortable = (prefix: string) =>
    prefix + encodeTime(clock.now()) + randomText(ALPHABET, RANDOM_LENGTH)
  return {
    // A brand exists only at compile time; this is where ids get theirs.
    next: (kind) => sortable(ID_PREFIXES[kind]) as Id<typeof kind>,
    mailId: () => sortable('eml_'),
    diagnosticId: () => sortable('dia_'),
    localPart: () => randomText(ALPHABET, LOCAL_PART_LENGTH),
    requestId: () => `req_${randomText(ALPHABET, RANDOM_LENGTH)}`,
    node: () => `node_${randomText(ALPHABET, RANDOM_LENGTH)}`,
    challenge: () => randomText(ALPHABET, CHALLENGE_LENGTH),
    secret: () => randomText(BASE62, API_SECRET_LENGTH),
    mark: () => randomText(ALPHABET, RANDOM_LENGTH),
    apiKey: (environment) => `mf_${environment}_${randomText(BASE62, API_SECRET_LENGTH)}`,
    randomBytes: (length) => randomBytes(length),
    fraction: () => Math.random(),
  }
}

function encodeTime(ms: number): string {
  let text = ''
  let rest = ms
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Chance is drawn in blocks: one call to the system serves a hundred ids. */
const pool = new Uint8Array(4096)
let used = pool.length

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool[used] ?? 0
  used += 1
  return byte
}

function randomText(alphabet: string, length: number): string {
  // Bytes past the last whole multiple would favour the first characters.
  const fairBelow = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    const byte = randomByte()
    if (byte < fairBelow) text += alphabet.charAt(byte % alphabet.length)
  }
  return text
}
