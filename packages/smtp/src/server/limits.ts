const KiB = 1024
const MiB = 1024 * KiB
const SECOND = 1000
const MINUTE = 60 * SECOND

/** Every bound of the receiving side. */
export type SmtpLimits = {
  readonly messageBytesMax: number
  readonly recipientsMax: number
  readonly lineBytesMax: number
  readonly errorsMax: number
  readonly unknownSlowedFrom: number
  readonly unknownMax: number
  readonly unknownDelayMs: number
  readonly idleMs: number
  readonly sessionMs: number
  readonly dataGraceMs: number
  readonly dataBytesPerSecondMin: number
  readonly handshakeMs: number
  readonly handlerMs: number
  readonly lingerMs: number
  readonly connectionsPerAddressMax: number
  readonly connectionsMax: number
  readonly inFlightBytesMax: number
}

/** The bounds unless an operator sets others, each with its reason. */
export const SMTP_LIMITS: SmtpLimits = {
  /** What large mail hosts take; also told in EHLO as SIZE. */
  messageBytesMax: 25 * MiB,
  /** RFC 5321 asks for at least this many; the rest may come in a second mail. */
  recipientsMax: 100,
  /** RFC 5321 asks for 512 and more with extensions; an address with parameters fits well. */
  lineBytesMax: 1000,
  /** A real client makes none; a scanner makes them all day. */
  errorsMax: 20,
  /** Guessing addresses gets slow here, and ends at `unknownMax`. */
  unknownSlowedFrom: 3,
  unknownMax: 5,
  unknownDelayMs: 5 * SECOND,
  /** RFC 5321 asks a server to wait at least five minutes for the next command. */
  idleMs: 5 * MINUTE,
  /** Nobody holds a connection for longer, however busy it looks. */
  sessionMs: 10 * MINUTE,
  /** Time for a slow start or a lost packet before the pace of a mail is judged. */
  dataGraceMs: 30 * SECOND,
  dataBytesPerSecondMin: 500,
  /** A TLS handshake is two round trips; this is time for a very bad line. */
  handshakeMs: 30 * SECOND,
  /** Longest that the client waits for the handler: below the ten minutes of RFC 5321. */
  handlerMs: 2 * MINUTE,
  /** A client that does not close after our last reply is closed by us. */
  lingerMs: 5 * SECOND,
  connectionsPerAddressMax: 20,
  connectionsMax: 2000,
  /** Bytes of unfinished mail in memory: twenty mails of the largest kind at once. */
  inFlightBytesMax: 512 * MiB,
}
