// Trains the model by which codes are found; writes packages/mail/src/codes/model.bin.
//
//   node_modules/.bin/node bench/fit-codes.ts [--check]
//
// It learns from all files in packages/mail/test/codes/batches, the corpus and its sentences. First
// it leaves out batches and projects, languages, and later batches in turn, prints how they are
// judged by what was trained without them, and takes the threshold (the lowest that gives all of
// them precision .99) and the calibration from these. With --check it writes nothing.
//
// A mail has one code or none: its values compete with "none", whose score is 0, in one softmax.
// The same mails give the same model, whose file has a hash of what it follows from.

import { writeFileSync } from 'node:fs'
import { calibrationOf, reportCalibration } from './codes/calibrate.ts'
import { fingerprint, readFeatures, withoutRare } from './codes/dataset.ts'
import { runJobs } from './codes/jobs.ts'
import { judgeLeftOut, LEFT_OUT, report, thresholdAt, type Verdict } from './codes/left-out.ts'
import { readMails } from './codes/mails.ts'
import { modelFile } from './codes/model-file.ts'
import { SETTINGS } from './codes/settings.ts'

const MODEL = new URL('../packages/mail/src/codes/model.bin', import.meta.url)

/** Precision at the threshold, among mails that were left out. */
const PRECISION = 0.99

const SEED = 7

const mails = readMails()
const raw = readFeatures(mails)
const data = withoutRare(raw)
console.log(`${mails.length} mails, ${data.rowCount} features`)

const verdicts: Verdict[] = []
for (const folds of LEFT_OUT) {
  const judged = await judgeLeftOut(mails, data, { folds, settings: SETTINGS })
  report(folds.name, data, judged)
  verdicts.push(...judged)
}
report('all of these', data, verdicts)
console.log('calibrated, each half by the other')
reportCalibration(verdicts)

if (!process.argv.includes('--check')) {
  const all = Int32Array.from(mails.keys())
  const job = { train: all, judge: new Int32Array(0), settings: SETTINGS, seed: SEED }
  const [trained] = await runJobs(data, [job])
  if (trained === undefined) throw new Error('nothing was trained')
  const file = modelFile(trained.network, data.keys, {
    inputs: fingerprint(raw),
    threshold: Math.round(thresholdAt(verdicts, PRECISION) * 100) / 100,
    calibration: calibrationOf(verdicts),
  })
  writeFileSync(MODEL, file)
  console.log(`${(file.length / 1e6).toFixed(2)} MB written`)
}
