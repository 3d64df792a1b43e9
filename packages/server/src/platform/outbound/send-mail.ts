import { connect } from 'node:net'
import type { SMTPTransportOptions } from 'nodemailer'

/** A mail for another mail server, sent as it is. */
export type OutboundMail = {
  readonly server: { readonly host: string; readonly port: number }
  readonly mailFrom: string
  readonly recipients: readonly string[]
  readonly raw: Uint8Array
  /** The login of the server; null without one. */
  readonly login: { readonly user: string; readonly pass: string } | null
}

/** Longest time for a mail, from connecting to the last reply. */
const SEND_MS_MAX = 30_000

/** Longest wait for the connection and for each reply. */
const REPLY_MS_MAX = 10_000

/** Mails that are sent at a time: each is in memory until the server has it. */
const SENDING_MAX = 10

/** Sends mail, but refuses more than a few at a time; `name` is that of this host in EHLO. */
export function createMailSender(name: string): (mail: OutboundMail) => Promise<void> {
  let sending = 0
  return async (mail) => {
    if (sending >= SENDING_MAX) throw new Error(`${SENDING_MAX} mails are being sent, try again`)
    sending += 1
    try {
      await sendMail(name, mail)
    } finally {
      sending -= 1
    }
  }
}

/**
 * Sends one mail by SMTP; throws with the reason unless every recipient was accepted.
 *
 * Where the server offers STARTTLS it is used, and the certificate must be valid.
 */
async function sendMail(name: string, mail: OutboundMail): Promise<void> {
  const { server, mailFrom: from, recipients, raw, login } = mail
  // Loaded here because few services send mail.
  const { createTransport } = await import('nodemailer')
  const signal = AbortSignal.timeout(SEND_MS_MAX)
  const transport = createTransport({
    ...server,
    name,
    getSocket: socketOpener(server, signal),
    greetingTimeout: REPLY_MS_MAX,
    socketTimeout: REPLY_MS_MAX,
    ...(login === null ? {} : { auth: login }),
  })
  const { rejectedErrors } = await transport.sendMail({
    envelope: { from, to: [...recipients] },
    raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
  })
  const [refused] = rejectedErrors ?? []
  if (refused !== undefined) throw refused
}

/** Opens the socket for nodemailer, whose own cannot be ended by a signal. */
function socketOpener(
  { host, port }: OutboundMail['server'],
  signal: AbortSignal,
): NonNullable<SMTPTransportOptions['getSocket']> {
  return (_options, callback) => {
    const socket = connect({ host, port, signal, timeout: REPLY_MS_MAX })
    socket.once('timeout', () => socket.destroy(new Error('no response in time')))
    socket.once('error', callback)
    socket.once('connect', () => {
      socket.off('error', callback)
      callback(null, { connection: socket })
    })
  }
}
