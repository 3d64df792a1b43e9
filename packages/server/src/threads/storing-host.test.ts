import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMail } from '../../test/testing-store.ts'
import type { MailToStore } from '../assembly/storing.ts'
import { StorageUnavailable } from '../errors.ts'
import type { ReadyMail } from '../features/receiving/commit.ts'
import type { ArrivedMail } from '../features/receiving/compose.ts'
import { createBacklogMemory } from '../platform/backlog.ts'
import { StoringThread } from './storing-host.ts'

const FILE = new URL('../../test/testing-storing-thread.ts', import.meta.url)

function startThread(file = FILE) {
  const crashes: string[] = []
  const thread = new StoringThread(
    {
      databaseUrl: 'sqlite:unused',
      signalsName: 'unused',
      hostName: 'unused',
      isScanned: false,
      logLevel: 'info',
      number: 0,
      backlogMemory: createBacklogMemory(1),
    },
    {
      file,
      onCrash: (error) => crashes.push(error instanceof Error ? error.message : String(error)),
    },
  )
  const storeMails = async (mails: readonly MailToStore[]) =>
    (await thread.store(mails)).map(({ state }) => state)
  const store = (...senders: string[]) => storeMails(senders.map(mailFrom))
  return { store, storeMails, crashes, [Symbol.asyncDispose]: () => thread.stop() }
}

/** Its raw bytes are part of a larger buffer, as those of small mails are. */
function mailFrom(sender: string): ArrivedMail {
  const raw = Buffer.from(`before raw of ${sender} after`).subarray(7, 7 + 7 + sender.length)
  const envelope = { mailFrom: sender, remoteAddress: '::1', helo: null, tls: null, user: null }
  const accepted = { envelope, recipients: [], raw, transcript: [], protocol: 'SMTP' }
  return { id: 'eml_1', receivedAt: 1, accepted }
}

function composedFrom(sender: string): ReadyMail {
  const { accepted } = mailFrom(sender)
  const raw = { encoding: 'identity', bytes: accepted.raw } as const
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

  for (const [subject, crash] of [
    ['throw', 'thrown by a mail'],
    ['exit', 'the thread that stores mails ended'],
  ] as const) {
    it(`that ends has not stored what it was given, and is started again: ${subject}`, async () => {
      await using host = startThread()
      const failing = [host.store(subject), host.store('behind it')]
      for (const one of failing) await assert.rejects(one, StorageUnavailable)
      assert.deepEqual(await host.store('a'), ['stored'])
      assert.deepEqual(host.crashes, [crash])
    })
  }

  it('rejects what it is given when it does not start', async () => {
    const host = startThread(new URL('./missing.ts', import.meta.url))
    for (const subject of ['a', 'b']) await assert.rejects(host.store(subject), /missing/)
  })
})
