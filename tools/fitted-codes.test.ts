import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { fingerprint } from '../bench/codes/fingerprint.ts'

const WEIGHTS = new URL('../packages/mail/src/codes/weights.ts', import.meta.url)

it('the weights of one-time codes are those that bench/fit-codes.ts writes', () => {
  const fitted = /^\/\/ Fitted to (\w+)\.$/m.exec(readFileSync(WEIGHTS, 'utf8'))?.[1]
  assert.equal(fitted, fingerprint(), 'Facts, words or mails have changed: run bench/fit-codes.ts.')
})
