import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMail } from '../../test/testing-store.ts'
import { StorageUnavailable } from '../errors.ts'
import { StoringThread } from './storing-host.ts'

const FILE = new URL('../../test/testing-storing-thread.ts', import.meta.url)

function startThread(file = FILE) {
  const crashes: string[] = []
  const thread = new StoringThread(
    { databaseUrl: 'sqlite:unused', signalsName: 'unused' },
    {
      file,
      onCrash: (error) => crashes.push(error instanceof Error ? error.message : String(error)),
    },
  )
  const store = async (...subjects: string[]) => {
    const outcomes = await thread.store(subjects.map(mailWith))
    return outcomes.map(({ state }) => state)
  }
  return { store, crashes, [Symbol.asyncDispose]: () => thread.stop() }
}

/** Its raw bytes are part of a larger buffer, as those of small mails are. */
function mailWith(subject: string) {
  const bytes = Buffer.from(`before raw of ${subject} after`).subarray(7, 7 + 7 + subject.length)
  return {
    mail: { ...newMail(), subject, raw: { encoding: 'identity' as const, bytes } },
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
