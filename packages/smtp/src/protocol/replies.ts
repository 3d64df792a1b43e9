// Every reply of the server, each with its enhanced status code (RFC 3463).
//
// Greeting, HELO, EHLO, 334 and 354 have none, as in RFC 2034.

/** Replies with a fixed text. */
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
  cannotVerify: '252 2.1.5 Cannot verify the address; RCPT tells whether mail is accepted',
  askSecret: '334 ',
  askUsername: '334 VXNlcm5hbWU6',
  askPassword: '334 UGFzc3dvcmQ6',
  sendData: '354 End data with <CR><LF>.<CR><LF>',

  shuttingDown: '421 4.3.2 Server is shutting down, try again later',
  unanswered: '421 4.3.0 The message was not processed in time, try again later',
  idle: '421 4.4.2 Idle timeout, closing connection',
  sessionTooLong: '421 4.4.2 Session time limit exceeded',
  /** Only a client that closed its sending side can read it; it is shown in the diagnostics. */
  connectionLost: '421 4.4.2 Connection lost',
  tooSlow: '421 4.4.2 Message data is sent too slowly',
  evicted: '421 4.3.2 Too many connections, idle ones are closed first',
  tooManyConnections: '421 4.7.0 Too many connections',
  tooManyErrors: '421 4.7.0 Too many errors',
  tooManyUnknown: '421 4.7.0 Too many unknown recipients',
  endlessLine: '421 4.7.0 Line far too long, closing connection',
  notHttp: '421 4.7.0 This is an SMTP server, not an HTTP server',

  authFailing: '454 4.7.0 Authentication is unavailable, try again later',
  storageFailing: '451 4.3.0 Storage is unavailable, try again later',
  inboxFull: '452 4.2.2 Inbox is full',
  storageFull: '452 4.3.1 Storage is full, try again later',
  tooManyRecipients: '452 4.5.3 Too many recipients, send the rest in another message',
  /** Cannot be sent; it is shown in the diagnostics. */
  tlsFailed: '454 4.7.0 TLS handshake failed',

  unknownCommand: '500 5.5.1 Command not recognized',
  lineTooLong: '500 5.5.2 Line too long',
  bareLineFeed: '500 5.5.2 Lines must end with <CR><LF>',
  badCharacters: '500 5.5.2 Command contains control characters or invalid UTF-8',
  noArguments: '501 5.5.4 This command takes no argument',
  needsHostName: '501 5.5.4 Host name required',
  needsArgument: '501 5.5.4 Argument required',
  badSender: '501 5.1.7 Bad sender address syntax, MAIL FROM:<address>',
  badRecipient: '501 5.1.3 Bad recipient address syntax, RCPT TO:<address>',
  badParameter: '501 5.5.4 Bad parameter value',
  badChunk: '501 5.5.4 Syntax: BDAT size [LAST]',
  badSecret: '501 5.5.2 Invalid base64',
  authCancelled: '501 5.7.0 Authentication cancelled',
  notOffered: '502 5.5.1 Command not supported',
  tlsNotOffered: '502 5.5.1 STARTTLS is not offered: send without TLS',
  helloFirst: '503 5.5.1 Send EHLO first',
  mailFirst: '503 5.5.1 Send MAIL first',
  recipientFirst: '503 5.5.1 Send RCPT first',
  mailAlready: '503 5.5.1 A mail transaction is already in progress',
  chunksBegun: '503 5.5.1 Not allowed after BDAT',
  tlsAlready: '503 5.5.1 TLS is already active',
  authAlready: '503 5.5.1 Already authenticated',
  /** One text for an unknown user and for a wrong password. */
  badCredentials: '535 5.7.8 Authentication credentials invalid',
  unknownMechanism: '504 5.5.4 Authentication mechanism not supported',
  /** One text for every reason, so that it does not reveal which inboxes exist. */
  unknownRecipient:
    '550 5.1.1 No inbox has this address (Mayfly takes mail for its inboxes; MAYFLY_CATCH_ALL for any)',
  tooLarge: '552 5.3.4 Message too large',
  needsUtf8: '553 5.6.7 A non-ASCII address requires SMTPUTF8',
  noRecipients: '554 5.5.1 No valid recipients',
  unknownParameter: '555 5.5.4 Parameter not supported',
} as const satisfies Record<string, string>

/** Code of a reply; `REPLIES` has its text. */
export type ReplyCode = keyof typeof REPLIES

/** Replies after which the server closes the connection. */
export type CloseReply = Extract<
  ReplyCode,
  | 'goodbye'
  | 'shuttingDown'
  | 'unanswered'
  | 'idle'
  | 'evicted'
  | 'sessionTooLong'
  | 'connectionLost'
  | 'tooSlow'
  | 'tooManyErrors'
  | 'tooManyUnknown'
  | 'endlessLine'
  | 'notHttp'
  | 'badChunk'
  | 'tooLarge'
>

/** The first line of every session. */
export function greeting(hostname: string): string {
  return `220 ${hostname} ESMTP Mayfly`
}

/** The reply with the id of a mail, in the words of other mail catchers. */
export function storedReply(id: string): string {
  return `250 2.0.0 Ok: queued as ${id}`
}

/** The reply to HELO, which has no extensions. */
export function heloReply(hostname: string): string {
  return `250 ${hostname}`
}

/** The extensions in the reply to EHLO. */
export type Offer = {
  readonly hostname: string
  readonly messageBytesMax: number
  readonly tls: boolean
  readonly auth: boolean
}

/** The reply to EHLO: all lines, without the final CRLF. */
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
