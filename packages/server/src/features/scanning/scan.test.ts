import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AttachmentId } from '@mayfly/contract'
import { testClock } from '../../../test/testing-clock.ts'
import {
  ALICE,
  BOB,
  describeEachDatabase,
  givenInbox,
  givenUnscanned,
  NOW,
} from '../../../test/testing-store.ts'
import type { Store } from '../../store/open.ts'
import { type FailedScans, type ScanDeps, scanAttachments } from './scan.ts'

type Result = Awaited<ReturnType<ScanDeps['scan']>>
/** What the scanner does with the attachments of a mail. */
type Behaviour = () => Promise<Result>

const RETRY_MS = 15_000

const clean: Behaviour = async () => ({ state: 'clean' })
const crash: Behaviour = async () => {
  throw new Error('clamd closed the connection')
}

/** A scanner that does as the test says for each mail, and what it did. */
function testScanner(store: Store) {
  const clock = testClock(NOW)
  const behaviours = new Map<string, Behaviour>()
  const mails: string[] = []
  const scanned: string[] = []
  const verdicts = new Map<AttachmentId, string | null>()
  const failed: FailedScans = new Map()
  let harmless = clean
  let running = 0
  let runningMax = 0
  const deps: ScanDeps = {
    store,
    clock,
    // Five bytes, by which the scanner knows the mail.
    readRaw: async (mailId) => Buffer.from(String(10_000 + mails.push(mailId) - 1)),
    scan: async (bytes) => {
      if (String(bytes).startsWith('Mayfly')) return harmless()
      const mailId = mails[Number(String(bytes)) - 10_000] ?? ''
      running += 1
      runningMax = Math.max(running, runningMax)
      await new Promise(setImmediate)
      try {
        scanned.push(mailId)
        return await (behaviours.get(mailId) ?? clean)()
      } finally {
        running -= 1
      }
    },
    record: async (attachment, verdict) => {
      verdicts.set(attachment.id, verdict.reason)
      await store.attachments.setVerdict(attachment, verdict)
    },
    isDue: () => false,
    stopped: new AbortController().signal,
  }
  return {
    clock,
    scanned,
    verdicts,
    behaviours,
    runningMax: () => runningMax,
    setHarmless: (behaviour: Behaviour) => {
      harmless = behaviour
    },
    run: () => scanAttachments(deps, failed),
  }
}

describeEachDatabase('scanning', (open) => {
  it('takes accounts in turns, four attachments at a time', async () => {
    const store = await open()
    const alice = await givenInbox(store, { owner: ALICE })
    const bob = await givenInbox(store, { owner: BOB })
    const many = await givenUnscanned(store, alice.id, 30)
    const one = await givenUnscanned(store, bob.id)
    const scanner = testScanner(store)
    await scanner.run()
    assert.ok(scanner.scanned.indexOf(one.mailId) < 4, 'it came after those of another account')
    assert.equal(scanner.runningMax(), 4)
    assert.deepEqual(
      [...scanner.verdicts].sort(),
      [...many.attachmentIds, ...one.attachmentIds].map((id) => [id, null] as const).sort(),
    )
  })

  it('goes on while the scanner is silent on an attachment', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const silent = await givenUnscanned(store, inbox.id)
    const others = await givenUnscanned(store, inbox.id, 7)
    const scanner = testScanner(store)
    const ended = Promise.withResolvers<void>()
    scanner.behaviours.set(silent.mailId, async () => {
      while (scanner.verdicts.size < 7) await new Promise(setImmediate)
      ended.resolve()
      return crash()
    })
    const running = scanner.run()
    await ended.promise
    assert.deepEqual([...scanner.verdicts.keys()].sort(), [...others.attachmentIds].sort())
    await running
  })

  it('scans one on which the scanner crashes after all others, and gives it up', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const crashing = await givenUnscanned(store, inbox.id)
    const scanner = testScanner(store)
    const { behaviours, clock, scanned, verdicts } = scanner
    // Down after the crash, until the next run.
    behaviours.set(crashing.mailId, () => {
      scanner.setHarmless(crash)
      return crash()
    })
    await scanner.run()
    for (const failures of [1, 2]) {
      const clean = await givenUnscanned(store, inbox.id)
      await assert.rejects(scanner.run(), /closed the connection/)
      scanner.setHarmless(async () => ({ state: 'clean' }))
      await scanner.run()
      assert.equal(scanned.at(-1), clean.mailId, 'it was scanned again at once')
      clock.ms += RETRY_MS
      await scanner.run()
      assert.equal(scanned.filter((id) => id === crashing.mailId).length, failures + 1)
    }
    const [id = ''] = crashing.attachmentIds
    assert.equal(
      verdicts.get(id as AttachmentId), // As above.
      'the scanner failed on it 3 times: clamd closed the connection',
    )
    scanner.setHarmless(clean)
    scanned.length = 0
    await scanner.run()
    assert.deepEqual(scanned, [])
  })

  it('blames no attachment for a scanner that is out of order', async () => {
    const store = await open()
    const inbox = await givenInbox(store, { owner: ALICE })
    const mail = await givenUnscanned(store, inbox.id)
    const scanner = testScanner(store)
    scanner.behaviours.set(mail.mailId, crash)
    scanner.setHarmless(crash)
    for (let run = 0; run < 5; run += 1) {
      await assert.rejects(scanner.run(), /closed the connection/)
      scanner.clock.ms += RETRY_MS
    }
    scanner.behaviours.clear()
    scanner.setHarmless(clean)
    await scanner.run()
    assert.deepEqual([...scanner.verdicts.values()], [null])
  })
})
