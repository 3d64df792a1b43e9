// Every reply that the receiving side gives, each with its enhanced status code (RFC 3463).
//
// Greeting, HELO, EHLO, 334 and 354 carry none: RFC 2034 leaves them out.

/** Replies whose text never varies. */
export const REPLIES = {
  goodbye: '221 2.0.0 Goodbye',
  tlsReady: '220 2.0.0 Ready to start TLS',
  help: '214 2.0.0 See RFC 5321; this server stores mail for automated tests',
  authenticated: '235 2.7.0 Authenticated',
  ok: '250 2.0.0 OK',
  senderOk: '250 2.1.0 Sender OK',
  recipientOk: '250 2.1.5 Recipient OK',
  chunkOk: '250 2.0.0 Chunk received',
  stored: '250 2.0.0 Message stored',
  cannotVerify: '252 2.1.5 Cannot verify; send the mail and see',
  askSecret: '334 ',
  askUsername: '334 VXNlcm5hbWU6',
  askPassword: '334 UGFzc3dvcmQ6',
  sendData: '354 End data with <CR><LF>.<CR><LF>',

  shuttingDown: '421 4.3.2 Shutting down, try again in a moment',
  unanswered: '421 4.3.0 The mail could not be settled in time, try again later',
  idle: '421 4.4.2 Nothing was sent for too long',
  sessionTooLong: '421 4.4.2 Session took too long',
  /** Heard only by a client that closed one half; the owner's diagnostics show it. */
  connectionLost: '421 4.4.2 Connection lost',
  tooSlow: '421 4.4.2 Mail came in too slowly',
  tooManyConnections: '421 4.7.0 Too many connections',
  tooManyErrors: '421 4.7.0 Too many errors',
  tooManyUnknown: '421 4.7.0 Too many unknown recipients',
  endlessLine: '421 4.7.0 Line without end',
  notHttp: '421 4.7.0 This port speaks SMTP, not HTTP',

  storageFailing: '451 4.3.0 Could not be stored, try again later',
  inboxFull: '452 4.2.2 Inbox is full',
  storageFull: '452 4.3.1 Storage is full, try again later',
  tooManyRecipients: '452 4.5.3 Too many recipients, send the rest in another mail',

  unknownCommand: '500 5.5.1 Command not known',
  lineTooLong: '500 5.5.2 Line too long',
  bareLineFeed: '500 5.5.2 Lines end with <CR><LF>',
  badCharacters: '500 5.5.2 Control characters or broken UTF-8',
  noArguments: '501 5.5.4 This command takes no argument',
  needsHostName: '501 5.5.4 Needs a host name',
  needsArgument: '501 5.5.4 Needs an argument',
  badSender: '501 5.1.7 Bad sender address syntax, MAIL FROM:<address>',
  badRecipient: '501 5.1.3 Bad recipient address syntax, RCPT TO:<address>',
  badParameter: '501 5.5.4 Bad parameter value',
  badChunk: '501 5.5.4 Syntax: BDAT size [LAST]',
  badSecret: '501 5.5.2 Not base64',
  authCancelled: '501 5.7.0 Authentication cancelled',
  notOffered: '502 5.5.1 Command not offered',
  helloFirst: '503 5.5.1 Say EHLO first',
  mailFirst: '503 5.5.1 Say MAIL first',
  recipientFirst: '503 5.5.1 Say RCPT first',
  mailAlready: '503 5.5.1 A mail is already under way',
  chunksBegun: '503 5.5.1 Not after BDAT',
  tlsAlready: '503 5.5.1 TLS is already on',
  authAlready: '503 5.5.1 Already authenticated',
  unknownMechanism: '504 5.5.4 Authentication mechanism not offered',
  /** One text whatever the reason, so that nobody learns which inboxes are there. */
  unknownRecipient: '550 5.1.1 No such recipient here',
  tooLarge: '552 5.3.4 Mail is too large',
  needsUtf8: '553 5.6.7 Such an address needs SMTPUTF8',
  noRecipients: '554 5.5.1 No valid recipients',
  unknownParameter: '555 5.5.4 Parameter not offered',
} as const satisfies Record<string, string>

/** The first line of every session. */
export function greeting(hostname: string): string {
  return `220 ${hostname} ESMTP Mayfly`
}

/** The answer to HELO, which has no extensions. */
export function heloReply(hostname: string): string {
  return `250 ${hostname}`
}

/** What one EHLO answer has to say. */
export type Offer = {
  readonly hostname: string
  readonly messageBytesMax: number
  readonly tls: boolean
  readonly auth: boolean
}

/** The answer to EHLO: all lines, without the last line's end. */
export function ehloReply(offer: Offer): string {
  const lines = [
    offer.hostname,
    'PIPELINING',
    `SIZE ${offer.messageBytesMax}`,
    ...(offer.tls ? ['STARTTLS'] : []),
    ...(offer.auth ? ['AUTH PLAIN LOGIN'] : []),
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'CHUNKING',
  ]
  const last = lines.length - 1
  return lines.map((line, index) => `250${index === last ? ' ' : '-'}${line}`).join('\r\n')
}
