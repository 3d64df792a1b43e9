// Sends mails of 4 KB at a pace: node bench/load/paced-mails.ts PORT A_SECOND SECONDS ADDRESS…

import { sendMails } from '../../packages/server/test/testing-send-mail.ts'

const [port = 0, perSecond = 0, seconds = 0] = process.argv.slice(2, 5).map(Number)
const addresses = process.argv.slice(5)
const TEXT = `${'x'.repeat(76)}\r\n`.repeat(52)

/** Mails over one connection; connections run side by side. */
const BATCH = 25

const startedAt = performance.now()
let sent = 0
await Promise.all(Array.from({ length: 8 }, work))
const tookSeconds = (performance.now() - startedAt) / 1000
console.log(`sent ${sent} mails, ${(sent / tookSeconds).toFixed(0)} a second`)

async function work(): Promise<void> {
  while (sent < perSecond * seconds) {
    const first = sent
    sent += BATCH
    const dueAt = startedAt + (first / perSecond) * 1000
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
    const mails = Array.from({ length: BATCH }, (_, i) => ({
      to: addresses[(first + i) % addresses.length] ?? '',
      text: TEXT,
    }))
    await sendMails(port, mails)
  }
}
