// Mails per second that one thread parses and searches for codes, compared with postal-mime, which
// only parses.
//
//   node bench/parse.ts
//
// Processor time of the thread, so that other load on the machine counts less.

import { detect, parseMail } from '@mayfly/mail'
import PostalMime from 'postal-mime'
import { htmlMail, mail } from './load/html-mail.ts'

/** Duration of one round; both parsers take turns, so that other load affects both. */
const ROUND_MS = 500
const ROUNDS = 5
const WARM_UP_ROUNDS = 3

/** Mails between two readings of the clock. */
const TURNS = 10

interface Case {
  readonly name: string
  readonly goal: number
  readonly raw: Buffer
}

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
  { name: 'attachment', goal: 200, raw: attachmentMail() },
]

async function ratePerSecond(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  let done = 0
  let workedMs = 0
  while (workedMs < ROUND_MS) {
    for (let turn = 0; turn < TURNS; turn += 1) await run()
    done += TURNS
    const { user, system } = process.threadCpuUsage(before)
    workedMs = (user + system) / 1_000
  }
  return (done * 1_000) / workedMs
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

for (const { name, goal, raw } of CASES) {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    ours.push(await ratePerSecond(() => detect(parseMail(raw))))
    theirs.push(await ratePerSecond(() => PostalMime.parse(raw)))
  }
  const [our, their] = [median(ours.slice(WARM_UP_ROUNDS)), median(theirs.slice(WARM_UP_ROUNDS))]
  console.log(
    `${name.padEnd(11)} ${String(raw.length).padStart(9)} bytes` +
      `  parse + detect ${our.toFixed(0).padStart(6)}/s (goal ${goal})` +
      `  postal-mime ${their.toFixed(0).padStart(6)}/s  ratio ${(our / their).toFixed(1)}`,
  )
}
