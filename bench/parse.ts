// Mails per second that one thread parses and searches for codes: one by one, as if somebody waits
// for each, and several together, as the service does under load. Compared with postal-mime, which
// only parses.
//
//   node bench/parse.ts [--rounds=15]
//
// Processor time of the thread, so that other load on the machine counts less. Each parser has a
// thread of its own, as in the service: in one thread with postal-mime our own parser takes up to
// twice the time.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { detect, detectSteps, parseMail, runTogether, type Steps, TOGETHER_MAX } from '@mayfly/mail'
import PostalMime from 'postal-mime'
import { htmlMail, mail } from './load/html-mail.ts'
import { median, option, printFigure, watchMachine } from './load/report.ts'

/** The parsers take turns, so that other load affects all. */
const ROUNDS = option('rounds', 15)
const ROUND_MS = 500
const WARM_UP_ROUNDS = 5

/** Mails between two readings of the clock, of those that are parsed one by one. */
const TURN_MAILS = 10

type Case = { readonly name: string; readonly goal: number; readonly raw: Buffer }

function smallMail(): Buffer {
  return mail([
    'Content-Type: multipart/alternative; boundary="=_small"',
    '',
    '--=_small',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Hello Jane,',
    '',
    'your code is 481516. It is valid for ten minutes and only for this sign-in=',
    ' attempt.',
    'Or follow https://shop.example/verify?token=3Da8f5f167f44f4964e6c998dee827110c',
    '',
    'If this was not you, somebody may know your password. Change it in your =',
    'account, and sign out of all other devices there. We never ask for this code.',
    '',
    'Caf=C3=A9 Shop',
    '--=_small',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<html><body style=3D"font-family:Arial,sans-serif"><p>Hello Jane,</p>',
    '<p>your code is <b style=3D"font-size:24px">481516</b>. It is valid for ten =',
    'minutes and only for this sign-in attempt.</p>',
    '<p><a href=3D"https://shop.example/verify?token=3Da8f5f167f44f4964e6c998dee8=',
    '27110c">Verify</a></p><p>If this was not you, change your password.</p>',
    '<p style=3D"color:#888888;font-size:12px">Caf=C3=A9 Shop</p></body></html>',
    '--=_small--',
  ])
}

function attachmentMail(): Buffer {
  const bytes = Buffer.alloc(1_020_000)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = (at * 2_654_435_761) >>> 13
  const encoded = bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
  return mail([
    'Content-Type: multipart/mixed; boundary="=_large"',
    '',
    '--=_large',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'The report is attached.',
    '--=_large',
    'Content-Type: application/pdf; name="report.pdf"',
    'Content-Disposition: attachment; filename="report.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    encoded,
    '--=_large--',
  ])
}

const CASES: readonly Case[] = [
  { name: 'small', goal: 10_000, raw: smallMail() },
  { name: 'HTML', goal: 2_000, raw: htmlMail() },
  { name: 'attachment', goal: 500, raw: attachmentMail() },
]

/** Each parses some mails, and returns how many. */
const PARSERS = {
  'one by one': async (raw: Buffer) => {
    for (let mail = 0; mail < TURN_MAILS; mail += 1) detect(parseMail(raw))
    return TURN_MAILS
  },
  together: async (raw: Buffer) => {
    const mails = Math.min(TOGETHER_MAX.mails, Math.ceil(TOGETHER_MAX.bytes / raw.length))
    runTogether(Array.from({ length: mails }, () => steps(raw)))
    return mails
  },
  'postal-mime': async (raw: Buffer) => {
    for (let mail = 0; mail < TURN_MAILS; mail += 1) await PostalMime.parse(raw)
    return TURN_MAILS
  },
} as const

function* steps(raw: Buffer): Steps<unknown> {
  const parsed = parseMail(raw)
  yield
  return yield* detectSteps(parsed)
}

type Parser = keyof typeof PARSERS

/** What a thread is started with: a parser, and the index of a case. */
type Task = { readonly parser: Parser; readonly mail: number }

async function ratePerSecond(run: () => Promise<number>): Promise<number> {
  const before = process.threadCpuUsage()
  let done = 0
  let workedMs = 0
  while (workedMs < ROUND_MS) {
    done += await run()
    const { user, system } = process.threadCpuUsage(before)
    workedMs = (user + system) / 1_000
  }
  return (done * 1_000) / workedMs
}

/** In a thread: parses one mail for the duration of a round each time that it is asked. */
function serveRounds({ parser, mail: index }: Task): void {
  const raw = CASES[index]?.raw ?? Buffer.alloc(0)
  parentPort?.on('message', async () => {
    parentPort?.postMessage(await ratePerSecond(() => PARSERS[parser](raw)))
  })
}

/** The rate of one round. */
async function runRound(thread: Worker): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  thread.once('message', resolve).once('error', reject)
  thread.postMessage('round')
  const rate = await promise
  thread.off('error', reject)
  return rate
}

async function compare(index: number, { name, goal, raw }: Case): Promise<void> {
  const threads = (['one by one', 'together', 'postal-mime'] as const).map((parser) => {
    const task: Task = { parser, mail: index }
    const rates: number[] = []
    return { parser, rates, thread: new Worker(new URL(import.meta.url), { workerData: task }) }
  })
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const { thread, rates } of threads) {
      const rate = await runRound(thread)
      if (round >= 0) rates.push(rate)
    }
  }
  console.log(`${name}, ${raw.length} bytes`)
  for (const { parser, thread, rates } of threads) {
    await thread.terminate()
    if (parser === 'postal-mime') console.log(`  ${parser}: ${median(rates).toFixed(0)} mails/s`)
    else printFigure(`${parser}, mails/s`, median(rates), { atLeast: goal })
  }
}

if (isMainThread) {
  using _machine = watchMachine()
  for (const [index, one] of CASES.entries()) await compare(index, one)
} else {
  // The data is the task that `compare` gives.
  serveRounds(workerData as Task)
}
