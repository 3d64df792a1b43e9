import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { fingerprint } from '../bench/codes/fingerprint.ts'
import { kept } from './build/build-cache.ts'

const WEIGHTS = new URL('../packages/mail/src/codes/weights.ts', import.meta.url)

/** What the facts of the mails and the settings of the fit follow from. */
const SOURCES = ['bench/codes/*', 'packages/mail/{src,test}/**/*', 'package-lock.json']

it('the weights of one-time codes are those that bench/fit-codes.ts writes', async () => {
  // Reading all mails takes ten seconds.
  await kept('fitted-codes', SOURCES, async () => {
    const fitted = /^\/\/ Fitted to (\w+)\.$/m.exec(readFileSync(WEIGHTS, 'utf8'))?.[1]
    const expected = fingerprint()
    assert.equal(fitted, expected, 'Facts, words or mails have changed: run bench/fit-codes.ts.')
  })
})
