import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId } from '@mayfly/contract'
import { createTestLog } from '../../test/testing-log.ts'
import { receivedMail } from '../../test/testing-received-mail.ts'
import { parseConfig } from '../config/config.ts'
import { type ComposingOverrides, startLargeMailComposing } from './composing-host.ts'

const ALICE = 'alice' as AccountId // A brand by hand: the test needs a fixed id.
const BOB = 'bob' as AccountId // As above.

const FILE = new URL('../../test/testing-composing-thread.ts', import.meta.url)

function startThread(overrides: ComposingOverrides = {}) {
  const { log, messages } = createTestLog()
  const options = { config: parseConfig({}), hostName: 'mx.example' }
  const composing = startLargeMailComposing(options, log, {
    file: FILE,
    largeBytes: 0,
    ...overrides,
  })
  const compose = async (text: string, owner = ALICE) => {
    const received = { ...receivedMail(), raw: Buffer.from(text) }
    return (await composing.compose(owner, received))?.mail.text
  }
  return { compose, crashes: messages, [Symbol.asyncDispose]: () => composing.stop() }
}

describe('the thread that composes large mails', { timeout: 60_000 }, () => {
  it('composes mails in order', async () => {
    await using host = startThread()
    const composed = await Promise.all(['a', 'b', 'c'].map((text) => host.compose(text)))
    assert.deepEqual(composed, ['a', 'b', 'c'])
    assert.deepEqual(host.crashes, [])
  })

  it('lets accounts take turns', async () => {
    await using host = startThread()
    const order: unknown[] = []
    const compose = async (text: string, owner: AccountId) => {
      order.push(await host.compose(text, owner))
    }
    await Promise.all([
      ...['a', 'b', 'c'].map((text) => compose(text, ALICE)),
      compose('of Bob', BOB),
    ])
    assert.deepEqual(order, ['a', 'of Bob', 'b', 'c'])
  })

  it('composes no others', async () => {
    await using host = startThread({ largeBytes: 1 })
    assert.equal(await host.compose('a'), undefined)
    assert.equal(await host.compose('ab'), 'ab')
  })

  it('rejects what waits when it does not start', async () => {
    const host = startThread({ file: new URL('./missing.ts', import.meta.url) })
    for (const text of ['a', 'b']) await assert.rejects(host.compose(text), /missing/)
  })

  for (const [text, crash] of [
    ['throw', 'thrown by a mail'],
    ['exit', 'the thread ended'],
    ['loop', 'the thread did not respond for 1000 ms'],
  ] as const) {
    it(`rejects a mail that ends it, and composes the others: ${text}`, async () => {
      await using host = startThread(text === 'loop' ? { mailMsMax: 1_000 } : {})
      const failing = assert.rejects(host.compose(text), { message: crash })
      const behind = host.compose('behind it')
      await failing
      assert.equal(await behind, 'behind it')
      assert.deepEqual(host.crashes, [crash])
    })
  }
})
