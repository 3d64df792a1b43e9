import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Detected, detect, detectSteps } from '../src/detect.ts'
import { parseMail } from '../src/mime/parse-mail.ts'
import { runTogether } from '../src/steps.ts'
import { readCorpus } from './testing-otp-corpus.ts'

it('mails that are examined together have the same results as one by one', () => {
  const mails = readCorpus('measure')
  const parsed = mails.map(({ raw }) => parseMail(raw))
  const together = runTogether(parsed.map(detectSteps))
  assert.equal(together.length, mails.length)
  for (const [at, detected] of parsed.map(detect).entries()) {
    assert.deepEqual(plain(together[at]), plain(detected), mails[at]?.file ?? '')
  }
})

/** With the candidates, which a getter computes. */
function plain(detected: Detected | undefined) {
  return { ...detected, code: { ...detected?.code } }
}
