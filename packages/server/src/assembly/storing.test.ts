import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMail } from '../../test/testing-store.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import type { ComposeSteps } from './composer.ts'
import { readyMails } from './storing.ts'

const ENVELOPE = { mailFrom: 'a@example.com', remoteAddress: '::1', helo: null, tls: null }

function arrived(id: string, { bytes = 1, spoolSequence = 0 } = {}): ArrivedMail {
  const envelope = { ...ENVELOPE, user: null }
  const raw = Buffer.alloc(bytes)
  const accepted = { envelope, recipients: [], raw, transcript: [], protocol: null }
  return { id, receivedAt: 1, accepted, ...(spoolSequence === 0 ? {} : { spoolSequence }) }
}

/** Composes in two steps, and tells how many mails were between them at a time. */
function watchedComposing() {
  const together: number[] = []
  let open = 0
  const compose: ComposeSteps = function* ({ id }) {
    open += 1
    yield
    if (open > 0) together.push(open)
    open = 0
    return { ...newMail(), id }
  }
  return { compose, together }
}

describe('the mails of a batch', () => {
  it('are composed in their order, and those that were composed before stay as they are', () => {
    const { compose } = watchedComposing()
    const before = { mail: { ...newMail(), id: 'large' }, recipients: [] }
    const ready = readyMails(compose, [
      arrived('first', { spoolSequence: 7 }),
      before,
      arrived('last'),
    ])
    assert.deepEqual(
      ready.map(({ mail, spoolSequence }) => [mail.id, spoolSequence]),
      [
        ['first', 7],
        ['large', undefined],
        ['last', undefined],
      ],
    )
    assert.equal(ready[1], before)
  })

  it('are composed together, 32 at a time', () => {
    const { compose, together } = watchedComposing()
    const ids = Array.from({ length: 70 }, (_, at) => `mail ${at}`)
    const ready = readyMails(
      compose,
      ids.map((id) => arrived(id)),
    )
    assert.deepEqual(
      ready.map(({ mail }) => mail.id),
      ids,
    )
    assert.deepEqual(together, [32, 32, 6])
  })

  it('are composed together up to 64 KiB', () => {
    const { compose, together } = watchedComposing()
    const sizes = [60_000, 5_536, 100_000, 1, 65_535, 1]
    readyMails(
      compose,
      sizes.map((bytes, at) => arrived(`mail ${at}`, { bytes })),
    )
    assert.deepEqual(together, [2, 1, 2, 1])
  })
})
