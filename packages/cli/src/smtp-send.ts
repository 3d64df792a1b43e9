import { connect, type Socket } from 'node:net'
import { CommandFailed } from './exit.ts'

/** A mail and where it goes. */
export type Sending = {
  readonly host: string
  readonly port: number
  readonly from: string
  readonly to: readonly string[]
  readonly mail: Uint8Array
  readonly signal: AbortSignal
}

/** A reply may take this long; a server that tests talk to is near. */
const REPLY_MS_MAX = 30_000

/** Sends one mail by SMTP; what the server said at the end. Throws with its reply when refused. */
export async function sendBySmtp(sending: Sending): Promise<string> {
  const { host, port, from, to, mail, signal } = sending
  const socket = connect({ host, port, signal, timeout: REPLY_MS_MAX })
  try {
    const replies = readReplies(socket, `${host}:${port}`)
    const expect = async (about: string, wanted: '2' | '3', command: string | Uint8Array = '') => {
      if (command.length > 0) socket.write(command)
      const { value: reply = '' } = await replies.next()
      if (!reply.startsWith(wanted)) throw new CommandFailed(`${about} was refused: ${reply}`)
      return reply
    }
    await expect('the connection', '2')
    await expect('EHLO', '2', 'EHLO localhost\r\n')
    await expect(`the sender ${from}`, '2', `MAIL FROM:<${from}>\r\n`)
    for (const recipient of to) {
      await expect(`the recipient ${recipient}`, '2', `RCPT TO:<${recipient}>\r\n`)
    }
    await expect('the mail', '3', 'DATA\r\n')
    const reply = await expect('the mail', '2', dotStuffed(mail))
    socket.write('QUIT\r\n')
    return reply
  } finally {
    socket.destroy()
  }
}

/** Lines ended by CRLF, a dot doubled at the beginning of each, and the dot that ends it all. */
export function dotStuffed(mail: Uint8Array): Uint8Array {
  // Latin-1 keeps each byte as it is.
  const text = Buffer.from(mail).toString('latin1')
  const lines = text.replace(/\r\n|\r|\n/g, '\r\n').replace(/^\./gm, '..')
  const end = lines === '' || lines.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n'
  return Buffer.from(lines + end, 'latin1')
}

/** Whole replies, the last line of each. */
async function* readReplies(socket: Socket, server: string): AsyncGenerator<string, undefined> {
  let buffered = ''
  socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
  try {
    for await (const chunk of socket) {
      buffered += String(chunk)
      for (;;) {
        const reply = /^(?:\d{3}-[^\n]*\n)*(\d{3}(?: [^\n]*)?)\n/.exec(buffered)
        if (reply === null) break
        buffered = buffered.slice(reply[0].length)
        yield (reply[1] ?? '').trim()
      }
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(
      `the mail server at ${server} cannot be reached: ${reason}. Name another with --smtp HOST:PORT.`,
    )
  }
  throw new CommandFailed(`the mail server at ${server} closed the connection.`)
}
