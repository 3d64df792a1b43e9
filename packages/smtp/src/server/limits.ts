const KiB = 1024
const MiB = 1024 * KiB
const SECOND = 1000
const MINUTE = 60 * SECOND

/** Every limit of the server. */
export type SmtpLimits = {
  readonly messageBytesMax: number
  readonly recipientsMax: number
  readonly lineBytesMax: number
  readonly errorsMax: number
  readonly refusalsSlowedFrom: number
  readonly unknownMax: number
  readonly refusalDelayMs: number
  readonly idleMs: number
  readonly sessionMs: number
  readonly dataGraceMs: number
  readonly dataBytesPerSecondMin: number
  readonly handshakeMs: number
  readonly handlerMs: number
  readonly lingerMs: number
  readonly connectionsPerAddressMax: number
  readonly connectionsMax: number
  readonly evictableAfterMs: number
  readonly inFlightBytesMax: number
}

/** The default limits, with their reasons. */
export const SMTP_LIMITS: SmtpLimits = {
  /** As large mail providers accept; announced in EHLO as SIZE. */
  messageBytesMax: 25 * MiB,
  /** The minimum of RFC 5321; a client sends the rest in a second mail. */
  recipientsMax: 100,
  /** RFC 5321 requires 512, and more with extensions. */
  lineBytesMax: 1000,
  /** Mail clients make none; scanners make many. */
  errorsMax: 20,
  /**
   * A session that guesses addresses, or keeps sending to a full inbox, is slowed from this refusal
   * on. Guessing ends at `unknownMax`.
   */
  refusalsSlowedFrom: 3,
  unknownMax: 5,
  refusalDelayMs: 5 * SECOND,
  /** RFC 5321 requires at least five minutes of waiting for the next command. */
  idleMs: 5 * MINUTE,
  /** Longest session, whatever the client does. */
  sessionMs: 10 * MINUTE,
  /** Time for a slow start or a lost packet before the transfer rate of a mail is checked. */
  dataGraceMs: 30 * SECOND,
  dataBytesPerSecondMin: 500,
  /** A TLS handshake takes two round trips; this is enough for a very slow connection. */
  handshakeMs: 30 * SECOND,
  /** Longest wait for the handler: below the ten minutes of RFC 5321. */
  handlerMs: 2 * MINUTE,
  /** Time for the client to close the connection after the last reply. */
  lingerMs: 5 * SECOND,
  connectionsPerAddressMax: 20,
  connectionsMax: 2000,
  /**
   * At the limit, a new client replaces one that has made no progress for this long. A client needs
   * less to begin a mail.
   */
  evictableAfterMs: 10 * SECOND,
  /** Bytes of incomplete mails in memory: about twenty mails of the largest size. */
  inFlightBytesMax: 512 * MiB,
}
