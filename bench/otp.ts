// How well one-time codes are found, and how long the worst inputs take.
//
//   node_modules/.bin/node bench/otp.ts

import { basename } from 'node:path'
import { findOtp, type OtpInput, readHtml } from '@mayfly/mail'
import { BATCHES, readBatch, resultOf } from '../packages/mail/test/testing-otp-batches.ts'
import {
  type CorpusPart,
  type CorpusResult,
  detectCode,
  isRight,
  readCorpus,
  scoreOf,
} from '../packages/mail/test/testing-otp-corpus.ts'
import {
  stabilityUnder,
  TRANSFORMATIONS,
} from '../packages/mail/test/testing-otp-transformations.ts'

const PARTS: readonly CorpusPart[] = ['tune', 'measure']
const CONFIDENCES: readonly (readonly [number, number])[] = [
  [0.55, 0.7],
  [0.7, 0.8],
  [0.8, 0.9],
  [0.9, 0.97],
  [0.97, 1],
]

for (const part of PARTS) reportPart(part)
reportBatches()
reportTransformations()
reportTimes()
reportWorst()

function reportPart(part: CorpusPart): void {
  const results = readCorpus(part).map(detectCode)
  const { given, right, expected, precision, recall } = scoreOf(results)
  const languages = new Set(results.map(({ mail }) => mail.language)).size
  console.log(
    `\n== ${part}: ${results.length} mails, ${expected} with a code, ${languages} languages`,
  )
  console.log(`precision ${precision.toFixed(4)} (${right} of ${given} given)`)
  console.log(`recall    ${recall.toFixed(4)} (${right} of ${expected})`)
  for (const [from, to] of CONFIDENCES) reportConfidence(results, from, to)
  const misses = results.filter((result) => !isRight(result))
  console.log(`misses    ${misses.length}`)
  for (const by of ['language', 'kind'] as const) reportBy(results, misses, by)
  for (const { mail, found } of misses) {
    console.log(`  ${mail.file}: ${mail.otp ?? 'no code'}, found ${found?.value ?? 'none'}`)
  }
}

function reportBatches(): void {
  console.log('\n== batches that have been learned from (95 % intervals)')
  for (const batch of BATCHES) reportBatch(basename(batch.pathname, '.jsonl'), [batch])
  reportBatch('all', BATCHES)
}

function reportBatch(name: string, batches: readonly URL[]): void {
  const results = batches.flatMap((batch) => readBatch(batch).map(resultOf))
  const { given, right, expected } = scoreOf(results)
  const exact = results.filter(({ hasExactLinks }) => hasExactLinks).length
  const precision = share(right, given)
  const recall = share(right, expected)
  console.log(
    `  ${name.padEnd(14)} precision ${precision}, recall ${recall}, links ${exact} of ${results.length}`,
  )
}

function reportTransformations(): void {
  const mails = BATCHES.flatMap(readBatch)
  console.log(`\n== verdicts changed by a transformation of ${mails.length} mails`)
  for (const transformation of TRANSFORMATIONS) {
    const { applied, changed } = stabilityUnder(transformation, mails)
    console.log(`  ${transformation.name.padEnd(24)} ${share(changed.length, applied)}`)
    for (const change of changed) console.log(`    ${change}`)
  }
}

/** The time of each mail of the batches, the best of several turns. */
function reportTimes(): void {
  const mails = BATCHES.flatMap(readBatch).map(({ subject, text, html }) => ({
    subject,
    text,
    html: html === null ? null : readHtml(html),
  }))
  const best = mails.map(() => Number.POSITIVE_INFINITY)
  for (let turn = 0; turn < 7; turn += 1) {
    for (const [at, mail] of mails.entries()) {
      best[at] = Math.min(
        best[at] ?? 0,
        bestMs(1, () => findOtp(mail)),
      )
    }
  }
  const hasCandidates = mails.map((mail) => findOtp(mail).candidates.length > 0)
  for (const [name, wanted] of [
    ['with candidates', true],
    ['without', false],
  ] as const) {
    const times = best.filter((_, at) => hasCandidates[at] === wanted).sort((a, b) => a - b)
    const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(3)
    console.log(
      `  ${times.length} mails ${name}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`,
    )
  }
}

/** A share with its Wilson interval: `0.960 (606/631, 0.942 to 0.973)`. */
function share(part: number, whole: number): string {
  const z = 1.96
  const p = whole === 0 ? 1 : part / whole
  const n = Math.max(whole, 1)
  const middle = p + (z * z) / (2 * n)
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))
  const scale = 1 + (z * z) / n
  const from = Math.max(0, (middle - spread) / scale).toFixed(3)
  const to = Math.min(1, (middle + spread) / scale).toFixed(3)
  return `${p.toFixed(3)} (${part}/${whole}, ${from} to ${to})`
}

function reportConfidence(results: readonly CorpusResult[], from: number, to: number): void {
  const within = results.filter(
    ({ found }) => found !== null && found.confidence >= from && found.confidence < to,
  )
  const { given, right } = scoreOf(within)
  if (given > 0) console.log(`  ${from} to ${to}: ${right} of ${given} right`)
}

function reportBy(
  results: readonly CorpusResult[],
  misses: readonly CorpusResult[],
  by: 'language' | 'kind',
): void {
  const names = new Set(misses.map(({ mail }) => mail[by]))
  for (const name of names) {
    const count = (all: readonly CorpusResult[]) =>
      all.filter(({ mail }) => mail[by] === name).length
    console.log(`  ${by} ${name}: ${count(misses)} of ${count(results)}`)
  }
}

function reportWorst(): void {
  const text = (value: string): OtpInput => ({ subject: 'Your code', text: value, html: null })
  const html = (value: string): OtpInput => ({ subject: null, text: null, html: readHtml(value) })
  const inputs: readonly (readonly [string, OtpInput])[] = [
    ['1 MB of digits', text('4829130371'.repeat(100_000))],
    ['50,000 groups in a line', text('482913 '.repeat(50_000))],
    ['50,000 lines of a group', text('482913\n'.repeat(50_000))],
    [
      '50,000 different lines',
      text(Array.from({ length: 50_000 }, (_, at) => 100_000 + at).join('\n')),
    ],
    ['50,000 named groups', text('code 482913 '.repeat(50_000))],
    ['50,000 names and lines', text('your code:\n482913\n'.repeat(50_000))],
    ['100,000 lines of a digit', text('4\n'.repeat(100_000))],
    ['Thai without an end', text('กรุณากรอกรหัสด้านล่าง482913'.repeat(5_000))],
    ['50,000 blocks', html('<p>Code</p><p>482913</p>'.repeat(25_000))],
    ['50,000 cells', html(`<table><tr>${'<td>482</td>'.repeat(50_000)}</table>`)],
    ['50,000 runs in a line', html(`<p>${'<b>4829</b> <i>code</i> '.repeat(25_000)}`)],
  ]
  console.log('\n== worst inputs, best of 20 (a plain pass over 64 KiB for comparison)')
  console.log(`  ${plainPassMs().toFixed(2)} ms  a plain pass`)
  for (const [name, input] of inputs) {
    console.log(`  ${bestMs(20, () => findOtp(input)).toFixed(2)} ms  ${name}`)
  }
}

/** The time to read each of 64 Ki characters once on this machine. */
function plainPassMs(): number {
  const text = 'Your verification code is 482913. '.repeat(2_000).slice(0, 65_536)
  let sum = 0
  const ms = bestMs(50, () => {
    for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at)
  })
  return sum === 0 ? 0 : ms
}

function bestMs(times: number, work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time += 1) {
    const startedAt = performance.now()
    work()
    best = Math.min(best, performance.now() - startedAt)
  }
  return best
}
