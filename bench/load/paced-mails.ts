// Mails of 4 KB at a pace, from a process of their own.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { sendMails } from '../../packages/server/test/testing-send-mail.ts'
import { createInboxes, type Service } from './service.ts'

const TEXT = `${'x'.repeat(76)}\r\n`.repeat(52)

/** Mails over one connection, and connections side by side. */
const BATCH = 25
const CONNECTIONS = 8

const MAILS_PER_INBOX = 900

/** Sends so many mails a second, for at most so many seconds, until it is disposed of. */
export async function sendPaced(
  service: Service,
  pace: { readonly perSecond: number; readonly seconds: number },
): Promise<AsyncDisposable> {
  const { perSecond, seconds } = pace
  const inboxes = await createInboxes(service, Math.ceil((perSecond * seconds) / MAILS_PER_INBOX))
  const addresses = inboxes.map(({ emailAddress }) => emailAddress)
  const numbers = [service.smtpPort, perSecond, seconds].map(String)
  const sender = spawn(process.execPath, [import.meta.filename, ...numbers, ...addresses], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(sender, 'exit')
  return {
    [Symbol.asyncDispose]: async () => {
      if (sender.exitCode !== null) throw new Error('The mails ended before the measurement.')
      sender.kill()
      await ended
    },
  }
}

/** `paced-mails.ts PORT A_SECOND SECONDS ADDRESS…` */
async function send(): Promise<void> {
  const [port = 0, perSecond = 0, seconds = 0] = process.argv.slice(2, 5).map(Number)
  const addresses = process.argv.slice(5)
  const startedAt = performance.now()
  let sent = 0
  const work = async () => {
    while (sent < perSecond * seconds) {
      const first = sent
      sent += BATCH
      const dueAt = startedAt + (first / perSecond) * 1000
      await setTimeout(Math.max(0, dueAt - performance.now()))
      const mails = Array.from({ length: BATCH }, (_, index) => ({
        to: addresses[(first + index) % addresses.length] ?? '',
        text: TEXT,
      }))
      await sendMails(port, mails)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

if (import.meta.main) await send()
