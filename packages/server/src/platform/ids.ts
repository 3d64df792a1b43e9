import { randomBytes, randomFillSync } from 'node:crypto'
import { type Environment, ID_PREFIXES, type Id, type IdKind } from '@mayfly/contract'
import { dayOf, mailIdStart } from '../mail-id.ts'
import { ALPHABET, encodeTime } from '../sortable-id.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 16 random characters: 80 bits, beyond guessing. */
const RANDOM_LENGTH = 16

/** 50 bits: short enough to read aloud; a collision is retried. */
const LOCAL_PART_LENGTH = 10

/** 43 characters of 62: 256 bits. */
const API_SECRET_LENGTH = 43

/** 160 bits: never published by accident. */
const CHALLENGE_LENGTH = 32

/** Generates everything that must be unique or unguessable. */
export type Ids = {
  /** An id that sorts by the time of its creation. */
  next<Kind extends IdKind>(kind: Kind): Id<Kind>
  /** A text that sorts before every id of that time and later, and after every earlier one. */
  at(kind: IdKind, ms: number): string
  /** A generated local part of an address. */
  localPart(): string
  /** Id of a mail, shared by all inboxes that received it; it begins with the day of its purge. */
  mailId(keptUntil: number): string
  /** Id of a request, in the log and in the response. */
  requestId(): string
  /** Id of this process among all nodes. */
  node(): string
  /** The value that a domain owner publishes as proof. */
  challenge(): string
  /** A secret of 256 bits in letters and digits. */
  secret(): string
  /** An unpredictable token that a sender cannot forge. */
  mark(): string
  /** A text that begins with the name of this cell, if it has one, for proxies to route by. */
  inCell(text: string): string
  /** A new API key. */
  apiKey(environment: Environment): string
  /** Random bytes for another secret. */
  randomBytes(length: number): Uint8Array
  /** A random number from 0 to 1, for jitter. */
  fraction(): number
}

/** Ids from the system's random generator and the given clock; `cell` is the name of this cell. */
export function createIds(clock: { now(): number }, cell: string | null = null): Ids {
  const sortable = (prefix: string) =>
    prefix + encodeTime(clock.now()) + randomText(ALPHABET, RANDOM_LENGTH)
  const inCell = (text: string) => (cell === null ? text : `${cell}_${text}`)
  return {
    // A brand exists only at compile time; this is where ids get theirs.
    next: (kind) => sortable(ID_PREFIXES[kind]) as Id<typeof kind>,
    at: (kind, ms) => ID_PREFIXES[kind] + encodeTime(ms),
    mailId: (keptUntil) => sortable(mailIdStart(dayOf(keptUntil))),
    localPart: () => randomText(ALPHABET, LOCAL_PART_LENGTH),
    requestId: () => `req_${randomText(ALPHABET, RANDOM_LENGTH)}`,
    node: () => `node_${randomText(ALPHABET, RANDOM_LENGTH)}`,
    challenge: () => randomText(ALPHABET, CHALLENGE_LENGTH),
    secret: () => randomText(BASE62, API_SECRET_LENGTH),
    mark: () => randomText(ALPHABET, RANDOM_LENGTH),
    inCell,
    apiKey: (environment) => `mf_${environment}_${inCell(randomText(BASE62, API_SECRET_LENGTH))}`,
    randomBytes: (length) => randomBytes(length),
    fraction: () => Math.random(),
  }
}

/** Random bytes are drawn in blocks: one call to the system serves a hundred ids. */
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
