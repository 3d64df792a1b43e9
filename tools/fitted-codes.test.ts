import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fingerprint, readFeatures } from '../bench/codes/dataset.ts'
import { readMails } from '../bench/codes/mails.ts'
import { model } from '../packages/mail/src/codes/model.ts'
import { kept } from './build/build-cache.ts'

/** What the features of the mails and the settings of the training follow from. */
const SOURCES = [
  'bench/{codes/*,fit-codes.ts}',
  'packages/mail/{src,test}/**/*',
  'package-lock.json',
]

it('the model of one-time codes is the one that bench/fit-codes.ts writes', async () => {
  // Reading all mails takes ten seconds.
  await kept('fitted-codes', SOURCES, async () => {
    const expected = fingerprint(readFeatures(readMails()))
    const { inputs } = model().header
    assert.equal(inputs, expected, 'Features, words or mails have changed: run bench/fit-codes.ts.')
  })
})
