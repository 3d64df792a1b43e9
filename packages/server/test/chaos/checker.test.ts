import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkHistory } from './checker.ts'
import { EMPTY_HISTORY, type History, type StoredInbox } from './history.ts'
import { FAULT_KINDS, planFaults } from './plan.ts'

const SENT = {
  token: 't1',
  inboxId: 'inb_1',
  node: 0,
  startedAt: 900,
  endedAt: 1_000,
  reply: '250 OK',
}
const ROOM = { messageCount: 1, sizeBytes: 1, lastSequence: 1 }
const INBOX: StoredInbox = {
  ...ROOM,
  inboxId: 'inb_1',
  messages: [{ id: 'a', token: 't1', sequence: 1 }],
}
const REQUEST = { eventId: 'evt_1', token: 't1', body: '{}', status: 200 }
const WAIT = { inboxId: 'inb_1', deadlineAt: 5_000, status: 408, token: null, askedFor: null }
const KILL = { kind: 'kill', nodes: [0], endedAt: 10_000 }
const READ = { inboxId: 'inb_1', reader: 'r', messageIds: ['b', 'a'], isCut: false }

/** The mail that was sent first has the higher number. */
const TWO_IN_REVERSE: StoredInbox = {
  ...INBOX,
  ...{ lastSequence: 2, messageCount: 2 },
  messages: [
    { id: 'a', token: 't1', sequence: 2 },
    { id: 'b', token: 't2', sequence: 1 },
  ],
}

/** A history in which all is well. */
const GOOD: History = {
  ...EMPTY_HISTORY,
  sends: [SENT, { ...SENT, token: 't2', reply: null }, { ...SENT, token: 't3', reply: '451 no' }],
  inboxes: [INBOX],
  waits: [
    { ...WAIT, status: 200, token: 't1' },
    { ...WAIT, deadlineAt: 1_500 },
    { ...WAIT, status: 503 },
  ],
  webhookRequests: [{ ...REQUEST, status: 500 }, REQUEST],
  reads: [READ, { ...READ, messageIds: ['c', 'b', 'a'] }],
  faults: [KILL],
  probes: [
    { node: 0, at: 10_100, isAccepted: false },
    { node: 0, at: 12_000, isAccepted: true },
  ],
  orphans: { mail: 0 },
}

const PLANTED: readonly (readonly [string, Partial<History>])[] = [
  ['lost', { inboxes: [{ ...INBOX, messages: [], lastSequence: 0, messageCount: 0 }] }],
  [
    'doubled',
    {
      inboxes: [
        {
          ...INBOX,
          messages: [...INBOX.messages, { id: 'b', token: 't1', sequence: 2 }],
          lastSequence: 2,
          messageCount: 2,
        },
      ],
    },
  ],
  ['not sent', { sends: [] }],
  ['not sent', { sends: [{ ...SENT, inboxId: 'inb_2' }] }],
  ['missed', { waits: [WAIT] }],
  ['missed', { waits: [{ ...WAIT, askedFor: 't1' }] }],
  ['other', { waits: [{ ...WAIT, status: 200, token: 't1', askedFor: 't2' }] }],
  [
    'order',
    {
      sends: [SENT, { ...SENT, token: 't2', startedAt: 1_100, endedAt: 1_200 }],
      inboxes: [TWO_IN_REVERSE],
    },
  ],
  ['order', { inboxes: [TWO_IN_REVERSE], reads: [READ] }],
  ['numbering', { inboxes: [{ ...INBOX, messages: [{ id: 'a', token: 't1', sequence: 2 }] }] }],
  ['numbering', { inboxes: [{ ...INBOX, lastSequence: 2 }] }],
  ['count', { inboxes: [{ ...INBOX, messageCount: 2 }] }],
  ['over bounds', { inboxes: [{ ...INBOX, sizeBytes: 251 * 1024 * 1024 }] }],
  ['order', { reads: [READ, { ...READ, messageIds: ['b', 'c', 'a'] }] }],
  ['order', { reads: [READ, { ...READ, messageIds: ['c', 'b'] }] }],
  ['attempts', { webhookRequests: Array.from({ length: 6 }, () => REQUEST) }],
  ['bytes', { webhookRequests: [REQUEST, { ...REQUEST, body: '{ }' }] }],
  ['event lost', { webhookRequests: [{ ...REQUEST, status: 500 }] }],
  ['recovery', { probes: [{ node: 0, at: 16_000, isAccepted: true }] }],
  ['recovery', { probes: [] }],
  ['process ended', { exits: [{ node: 1, reason: 'exit 1' }] }],
  ['orphan', { orphans: { raw_mail: 3 } }],
]

const check = (history: History) => [
  ...new Set(checkHistory(history, { recoveryMsMax: 5_000 }).map(({ kind }) => kind)),
]

describe('the checker of histories', () => {
  it('finds nothing where all is well', () => {
    assert.deepEqual(checkHistory(GOOD, { recoveryMsMax: 5_000 }), [])
  })

  for (const [kind, planted] of PLANTED) {
    it(`finds what is planted: ${kind} in ${Object.keys(planted)}`, () => {
      assert.ok(check({ ...GOOD, ...planted }).includes(kind), JSON.stringify(planted))
    })
  }

  it('does not ask for the mail of an inbox that was deleted', () => {
    const waits = GOOD.waits.slice(0, 1)
    const history = { ...GOOD, waits, inboxes: [], deletedInboxIds: ['inb_1'] }
    assert.deepEqual(check(history), [])
  })
})

describe('the plan of faults', () => {
  it('follows from its seed', () => {
    const options = { durationMs: 60_000, nodes: 3, holdMsMax: 3_000 }
    assert.deepEqual(planFaults({ ...options, seed: 7 }), planFaults({ ...options, seed: 7 }))
    assert.notDeepEqual(planFaults({ ...options, seed: 7 }), planFaults({ ...options, seed: 8 }))
  })

  it('has every kind often enough in 50 seeds of two minutes', () => {
    const seeds = Array.from({ length: 50 }, (_, i) => i + 1)
    const options = { durationMs: 120_000, nodes: 3, holdMsMax: 6_000 }
    const faults = seeds.flatMap((seed) => planFaults({ ...options, seed }))
    for (const kind of FAULT_KINDS) {
      const ofKind = faults.filter((fault) => fault.kind === kind)
      assert.ok(ofKind.length >= 5, `${kind}: ${ofKind.length}`)
      assert.deepEqual(new Set(ofKind.map(({ node }) => node)), new Set([0, 1, 2]), kind)
    }
  })
})
