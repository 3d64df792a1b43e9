// Fits the weights by which codes are judged; writes packages/mail/src/codes/weights.ts.
//
//   node_modules/.bin/node bench/fit-codes.ts [--calibrate | --check | --check-languages]
//
// With --check it leaves out each of four groups of batches in turn, with --check-languages each of
// four groups of languages; it prints how they are judged, and writes nothing. With --calibrate it
// does the same as with --check and writes packages/mail/src/codes/calibration-table.ts.
//
// A mail has one code or none: its values compete with "none", whose score is 0, in one softmax.
// Weights are pulled towards those that were set by hand (PRIORS), so that a fact that few mails
// have keeps its weight. No random numbers: the same mails give the same weights. The file also has
// a hash of what they were fitted to, and a test compares it.

import { writeFileSync } from 'node:fs'
import { writeCalibration } from './codes/calibrate.ts'
import { fingerprint } from './codes/fingerprint.ts'
import { batchFoldOf, check, foldOf } from './codes/left-out.ts'
import { ids, readAll } from './codes/rows.ts'
import { fitWeights } from './codes/softmax.ts'

/** Weights that are written: smaller ones change no verdict. */
const WRITTEN_MIN = 0.03

function keyOf(fact: string): string {
  return /^\w+$/.test(fact) ? fact : `'${fact}'`
}

function write(weights: Float64Array): void {
  const entries = Array.from(ids, ([fact, id]) => [fact, weights[id] ?? 0] as const)
  const lines = entries
    .filter(([, weight]) => Math.abs(weight) >= WRITTEN_MIN)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([fact, weight]) => `  ${keyOf(fact)}: ${Number(weight.toFixed(2))},`)
  writeFileSync(
    new URL('../packages/mail/src/codes/weights.ts', import.meta.url),
    [
      '// Written by bench/fit-codes.ts: do not edit.',
      `// Fitted to ${fingerprint()}.`,
      '',
      '/** The weight of each fact in the logarithm of the odds that a value is the code. */',
      'export const WEIGHTS: Readonly<Record<string, number>> = {',
      ...lines,
      '}',
      '',
    ].join('\n'),
  )
  console.log(`${lines.length} weights written`)
}

const rows = readAll()
console.log(`${rows.length} mails and variations, ${ids.size} facts`)
if (process.argv.includes('--calibrate')) {
  writeCalibration(check(rows, ({ group }) => batchFoldOf(group)))
} else if (process.argv.includes('--check')) check(rows, ({ group }) => batchFoldOf(group))
if (process.argv.includes('--check-languages')) check(rows, ({ language }) => foldOf(language))
if (process.argv.length === 2) write(fitWeights(rows))
