import { connect } from 'node:net'
import type { NodemailerError, SendMailOptions, SMTPTransportOptions } from 'nodemailer'
import { CommandFailed, UsageError } from './exit.ts'

/** An SMTP server. */
export type MailServer = { readonly host: string; readonly port: number }

/** A mail for nodemailer, with the sender and recipients of its envelope. */
export type OutgoingMail = SendMailOptions & {
  readonly envelope: { readonly from: string; readonly to: string[] }
}

/** Longest wait for the connection and for each reply; a server for tests is near. */
const REPLY_MS_MAX = 30_000

/** Sends one mail by SMTP; returns the server's last reply. Throws when a recipient is refused. */
export async function sendMail(
  server: MailServer,
  mail: OutgoingMail,
  signal: AbortSignal,
): Promise<string> {
  // Loaded here because no other command needs it.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    getSocket: socketOpener(server, signal),
    name: 'localhost',
    // Without STARTTLS: the service's certificate is often self-signed, and TLS with a server that
    // is not authenticated adds nothing to a test mail.
    secure: false,
    ignoreTLS: true,
    greetingTimeout: REPLY_MS_MAX,
    socketTimeout: REPLY_MS_MAX,
  })
  const { response, accepted, rejectedErrors } = await transport
    .sendMail(mail)
    .catch((error: NodemailerError) => {
      throw new CommandFailed(failureText(error, server, mail))
    })
  const [refused] = rejectedErrors ?? []
  if (refused === undefined) return lastLine(response)
  const text = failureText(refused, server, mail)
  throw new CommandFailed(`${text} (sent only to ${accepted.join(', ')})`)
}

/** Reads `Name <address>` or an address alone; the name is empty where there is none. */
export function parseAddress(text: string): { readonly name: string; readonly address: string } {
  const [, name = '', bracketed] = /^([^<>]*)<([^<>]+)>\s*$/.exec(text) ?? []
  const address = (bracketed ?? text).trim()
  if (/[\r\n]/.test(text) || !/^[^\s@<>]+@[^\s@<>]+$/.test(address)) {
    throw new UsageError(`"${text}" is not an email address.`)
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}

/**
 * Opens the socket for nodemailer, which would ask DNS before the system's own resolver and cannot
 * be interrupted.
 */
function socketOpener(
  { host, port }: MailServer,
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

/** The failure in one sentence: the refused command and its reply, or the connection. */
function failureText(error: NodemailerError, server: MailServer, mail: OutgoingMail): string {
  const [refused] = error.rejectedErrors ?? []
  if (refused !== undefined) return failureText(refused, server, mail)
  const { command = '', response, code, recipient } = error
  if (response !== undefined) {
    const refusable = new Map([
      ['MAIL FROM', `the sender ${mail.envelope.from}`],
      ['RCPT TO', `the recipient ${recipient}`],
      ['DATA', 'the mail'],
    ])
    return `${refusable.get(command) ?? 'the connection'} was refused: ${lastLine(response)}`
  }
  const address = `${server.host}:${server.port}`
  // The error of several failed addresses has a code and no message.
  const reason = error.message || code
  if (code === 'ETIMEDOUT') {
    return `nothing at ${address} answered as a mail server does within ${REPLY_MS_MAX / 1000} s. Is it the port of HTTP (8025)? That of SMTP is by default 1025. Name another with --smtp HOST:PORT.`
  }
  if (code === 'ECONNECTION') return `the mail server at ${address} closed the connection.`
  return `the mail server at ${address} cannot be reached: ${reason}. Name another with --smtp HOST:PORT.`
}

function lastLine(reply: string): string {
  return reply.trim().split('\n').at(-1) ?? ''
}
