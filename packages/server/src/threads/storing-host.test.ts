import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTestLog } from '../../test/testing-log.ts'
import { receivedMail } from '../../test/testing-received-mail.ts'
import { receivingOptions } from '../../test/testing-receiving-options.ts'
import { newMail } from '../../test/testing-store.ts'
import { StorageUnavailable, ThreadEnded } from '../errors.ts'
import type { ComposedMail, MailToStore } from '../receiving/received-mail.ts'
import { createStoringThread } from './storing-host.ts'

const FILE = new URL('../../test/testing-storing-thread.ts', import.meta.url)

function startThread(file = FILE) {
  const { log, messages } = createTestLog()
  const options = { options: receivingOptions(), signalsName: 'unused', clockMemory: null }
  const thread = createStoringThread(options, log, file)
  const storeMails = async (mails: readonly MailToStore[]) => {
    const results = await thread.storeBatch(mails, { ifLocked: 'wait', isRepeated: false })
    return results.map((result) => (result === 'locked' ? result : result.state))
  }
  const store = (...senders: string[]) => storeMails(senders.map(mailFrom))
  return { store, storeMails, crashes: messages, [Symbol.asyncDispose]: () => thread.stop() }
}

/** Its raw bytes are part of a larger buffer, as those of small mails are. */
function mailFrom(sender: string) {
  const raw = Buffer.from(`before raw of ${sender} after`).subarray(7, 7 + 7 + sender.length)
  const { envelope } = receivedMail()
  return receivedMail({ raw, envelope: { ...envelope, mailFrom: sender } })
}

function composedFrom(sender: string): ComposedMail {
  const raw = { encoding: 'identity', bytes: mailFrom(sender).raw } as const
  return {
    mail: { ...newMail(), sender: { mailFrom: sender, remoteAddress: '::1', tls: null }, raw },
    recipients: [],
  }
}

describe('the thread that stores mails', { timeout: 60_000 }, () => {
  it('gets the bytes of each mail, and gives an outcome for each', async () => {
    await using host = startThread()
    const [first, second] = [host.store('a', 'bcd', 'ef'), host.store('g')]
    assert.deepEqual(await first, ['stored', 'stored', 'stored'])
    assert.deepEqual(await second, ['stored'])
    assert.deepEqual(host.crashes, [])
  })

  it('gets large mails composed, beside others', async () => {
    await using host = startThread()
    const mails = [mailFrom('a'), composedFrom('bcd'), mailFrom('ef')]
    assert.deepEqual(await host.storeMails(mails), ['stored', 'stored', 'stored'])
  })

  it('tells that the storage is full', async () => {
    await using host = startThread()
    await assert.rejects(
      host.store('full'),
      (error) => error instanceof StorageUnavailable && error.full,
    )
    assert.deepEqual(await host.store('a'), ['stored'])
  })

  it('that ends rejects what it was given, and is started again', async () => {
    await using host = startThread()
    const failing = [host.store('exit'), host.store('behind it')]
    for (const one of failing) await assert.rejects(one, ThreadEnded)
    assert.deepEqual(await host.store('a'), ['stored'])
    assert.deepEqual(host.crashes, ['the thread ended'])
  })

  it('rejects what it is given when it does not start', async () => {
    const host = startThread(new URL('./missing.ts', import.meta.url))
    for (const subject of ['a', 'b']) await assert.rejects(host.store(subject), /missing/)
  })
})
