import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Dataset, readFeatures, withoutRare } from '../bench/codes/dataset.ts'
import { readMails } from '../bench/codes/mails.ts'
import { modelFile } from '../bench/codes/model-file.ts'
import { probabilitiesOf, scalesOf } from '../bench/codes/network.ts'
import { SETTINGS } from '../bench/codes/settings.ts'
import { train } from '../bench/codes/train.ts'
import { HIDDEN, INPUTS, Model } from '../packages/mail/src/codes/model.ts'
import { kept } from './build/build-cache.ts'

/** What the training follows from. */
const SOURCES = ['bench/codes/*', 'packages/mail/{src,test}/**/*', 'package-lock.json']

/** Trained with every eighth mail, for a third of the time, and judged by other mails. */
const EVERY = 8
const EPOCHS = 4
const RIGHT_MIN = 0.9

/** Numbers of a byte give a probability that is this near to the one that was trained. */
const NEAR = 0.1

it('a part of the mails trains a ranker: the same one each time, and it is kept in a file', async () => {
  await kept('trained-codes', SOURCES, async () => {
    const mails = readMails().filter(({ group, isVariation }) => /^\d/.test(group) && !isVariation)
    const data = withoutRare(readFeatures(mails))
    const part = Int32Array.from(mails.keys()).filter((at) => at % EVERY === 0)
    const how = { settings: { ...SETTINGS, epochs: EPOCHS }, seed: 3 }
    const network = train(data, part, how)
    assert.deepEqual(train(data, part, how), network)

    let right = 0
    let judged = 0
    for (const [mail, { otp }] of mails.entries()) {
      if (mail % EVERY === 0) continue
      const given = probabilitiesOf(data, network, { mail, hasLayer: true })
      const best = Math.max(0, ...given)
      judged += 1
      const label = data.labels[mail]
      if (otp === null ? best < 0.5 : best >= 0.5 && given.indexOf(best) === label) right += 1
    }
    assert.ok(right / judged >= RIGHT_MIN, `${right} of ${judged}`)

    const facts = { inputs: '', threshold: 0.5, calibration: [] }
    const model = new Model(modelFile(network, data.keys, facts))
    assert.equal(model.count, data.keys.length)
    for (const [row, key] of data.keys.entries()) {
      // The upper bits of a feature are its key.
      assert.equal(model.rowOf(key << 8), row)
    }
    for (const mail of part.slice(0, COMPARED)) {
      const expected = probabilitiesOf(data, network, { mail, hasLayer: true })
      for (const [at, one] of probabilitiesIn(data, model, mail).entries()) {
        assert.ok(Math.abs(one - (expected[at] ?? 0)) < NEAR, `${one} instead of ${expected[at]}`)
      }
    }
  })
})

/** Mails whose probabilities are compared. */
const COMPARED = 300

/** The probabilities of a mail by a model from a file. */
function probabilitiesIn(data: Dataset, model: Model, mail: number): readonly number[] {
  const scoreOf = (list: number, sums: Float32Array): number => {
    const from = data.lists[list] ?? 0
    const to = data.lists[list + 1] ?? 0
    const features = {
      rows: Array.from(data.rows.subarray(from, to)),
      families: Array.from(data.families.subarray(from, to)),
    }
    return model.sum(features, scalesOf(data, list), sums)
  }
  const first = data.mails[mail] ?? 0
  const base = new Float32Array(INPUTS)
  const weight = scoreOf(first, base)
  const scores: number[] = []
  for (let list = first + 1; list < (data.mails[mail + 1] ?? 0); list += 1) {
    const sums = base.slice()
    const score = weight + scoreOf(list, sums)
    const units = new Float32Array(HIDDEN)
    model.activate(sums, units)
    scores.push(score + model.output(units))
  }
  const all = scores.reduce((sum, score) => sum + Math.exp(score), 1)
  return scores.map((score) => Math.exp(score) / all)
}
