import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'

/** A mail to send by SMTP. */
export type MailToSend = {
  readonly from?: string
  readonly to: string | readonly string[]
  /** The whole mail; or a file below test/mail; or subject and text. */
  readonly raw?: string | Buffer
  readonly file?: string
  readonly subject?: string
  readonly text?: string
}

/** What the server said: to each recipient, and to the mail (null when no recipient was taken). */
export type SmtpAnswer = {
  readonly recipients: readonly string[]
  readonly mail: string | null
}

/** Sends mails one after the other over one connection, as a plain client would. */
export async function sendMails(port: number, mails: readonly MailToSend[]): Promise<SmtpAnswer[]> {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  const replies = replyReader(socket)
  const say = async (text: string | Buffer) => {
    socket.write(text)
    return replies()
  }
  try {
    await once(socket, 'connect')
    await replies()
    await say('EHLO client.example\r\n')
    const answers: SmtpAnswer[] = []
    for (const mail of mails) answers.push(await sendOne(mail, say))
    await say('QUIT\r\n')
    return answers
  } finally {
    socket.destroy()
  }
}

async function sendOne(
  mail: MailToSend,
  say: (text: string | Buffer) => Promise<string>,
): Promise<SmtpAnswer> {
  const recipients: string[] = []
  await say(`MAIL FROM:<${mail.from ?? 'app@example.com'}>\r\n`)
  for (const to of [mail.to].flat()) recipients.push(await say(`RCPT TO:<${to}>\r\n`))
  if (!recipients.some((reply) => reply.startsWith('250'))) {
    await say('RSET\r\n')
    return { recipients, mail: null }
  }
  await say('DATA\r\n')
  const raw = Buffer.from(await rawOf(mail))
  const stuffed = raw.toString('latin1').replace(/^\./gm, '..')
  const end = stuffed.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n'
  return { recipients, mail: await say(Buffer.from(stuffed + end, 'latin1')) }
}

async function rawOf(mail: MailToSend): Promise<string | Buffer> {
  if (mail.raw !== undefined) return mail.raw
  if (mail.file !== undefined) return readFile(new URL(`./mail/${mail.file}`, import.meta.url))
  const to = [mail.to].flat().join(', ')
  const subject = mail.subject === undefined ? '' : `Subject: ${mail.subject}\r\n`
  return `From: App <app@example.com>\r\nTo: ${to}\r\n${subject}\r\n${mail.text ?? 'Hello'}\r\n`
}

/** Reads whole replies, continuation lines included, in order. */
function replyReader(socket: NodeJS.ReadableStream): () => Promise<string> {
  let buffer = ''
  const waiting: { resolve: (reply: string) => void; reject: (error: Error) => void }[] = []
  const replies: string[] = []
  socket.on('data', (chunk) => {
    buffer += String(chunk)
    for (;;) {
      const match = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/.exec(buffer)
      if (match === null) return
      buffer = buffer.slice(match[0].length)
      const reply = match[0].trim()
      const next = waiting.shift()
      if (next === undefined) replies.push(reply)
      else next.resolve(reply)
    }
  })
  const fail = () => {
    for (const { reject } of waiting.splice(0))
      reject(new Error('the server closed the connection'))
  }
  socket.on('close', fail)
  socket.on('error', fail)
  return () =>
    new Promise((resolve, reject) => {
      const reply = replies.shift()
      if (reply !== undefined) resolve(reply)
      else waiting.push({ resolve, reject })
    })
}
