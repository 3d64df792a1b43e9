const SECOND = 1000
const MINUTE = 60 * SECOND

/** Every limit of the server. */
export type Pop3Limits = {
  readonly lineBytesMax: number
  readonly errorsMax: number
  readonly refusalsSlowedFrom: number
  readonly refusalsMax: number
  readonly refusalDelayMs: number
  readonly loginMs: number
  readonly idleMs: number
  readonly sessionMs: number
  readonly handlerMs: number
  readonly drainMs: number
  readonly lingerMs: number
  readonly connectionsPerAddressMax: number
  readonly connectionsMax: number
  readonly evictableAfterMs: number
  readonly readsMax: number
  readonly readsPerOwnerMax: number
}

/** The default limits, with their reasons. */
export const POP3_LIMITS: Pop3Limits = {
  /** RFC 2449 has lines of 255 bytes; a user name may be an address, a password a key. */
  lineBytesMax: 1000,
  /** Mail programs make none; scanners make many. */
  errorsMax: 20,
  /** A session that guesses passwords is slowed from this refusal on, ended at `refusalsMax`. */
  refusalsSlowedFrom: 3,
  refusalsMax: 5,
  refusalDelayMs: 5 * SECOND,
  /** A program has its credentials at hand. */
  loginMs: MINUTE,
  /** RFC 1939 requires at least ten minutes. */
  idleMs: 10 * MINUTE,
  /** Longest session, whatever the client does. */
  sessionMs: 30 * MINUTE,
  /** Longest wait for a mailbox or a message. */
  handlerMs: 2 * MINUTE,
  /** Time for the client to read 64 KiB of a message. */
  drainMs: MINUTE,
  /** Time for the client to close the connection after the last reply. */
  lingerMs: 5 * SECOND,
  connectionsPerAddressMax: 20,
  connectionsMax: 200,
  /**
   * At the limit, a new client replaces one that has made no progress for this long. A program
   * needs less between two messages.
   */
  evictableAfterMs: 10 * SECOND,
  /** Messages in memory at a time: each may have 25 MiB, and a client may read it slowly. */
  readsMax: 8,
  /** Of them for the mailboxes of one owner, whose clients may all read slowly. */
  readsPerOwnerMax: 2,
}
