import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountId, HeldWait, InboxId, MessageId } from '@mayfly/contract'
import { NodeEventRelay } from './node-event-relay.ts'
import type { AccountSignal, NodeMessage } from './signal.ts'

const ACCOUNT = 'acc_1' as AccountId // A brand by hand: the test needs fixed ids.
const INBOX = 'inb_1' as InboxId // A brand by hand.
const WAIT: HeldWait = {
  id: 'node-1',
  inboxId: INBOX,
  for: 'otp',
  deadline: '2026-01-01T00:00:00.000Z',
}
const SIGNAL: AccountSignal = { accountId: ACCOUNT, about: 'inbox', inboxId: INBOX }

function given() {
  let now = 0
  const local: AccountSignal[] = []
  const sent: NodeMessage[] = []
  const exchange = new NodeEventRelay({
    feeds: {
      receive: async (signal) => {
        local.push(signal)
      },
    },
    clock: { now: () => now },
    openWaits: () => [WAIT],
    send: (message) => sent.push(message),
  })
  return {
    exchange,
    local,
    sent,
    pass: (ms: number) => {
      now += ms
    },
  }
}

describe('the exchange of signals between nodes', () => {
  it('sends only what another node has asked for, with the waits that are held', () => {
    const { exchange, local, sent, pass } = given()
    exchange.publish(SIGNAL)
    assert.deepEqual([local.length, sent.length], [1, 0])
    exchange.receive({ watch: ACCOUNT })
    const started = { accountId: ACCOUNT, about: 'wait', change: 'started', wait: WAIT }
    assert.deepEqual(sent.splice(0), [{ signal: started }])
    exchange.publish(SIGNAL)
    exchange.publish({ ...SIGNAL, accountId: 'acc_2' as AccountId }) // A brand by hand.
    assert.deepEqual(sent.splice(0), [{ signal: SIGNAL }])
    pass(19_000)
    exchange.receive({ watch: ACCOUNT })
    pass(19_000)
    exchange.publish(SIGNAL)
    assert.deepEqual(sent.splice(0), [{ signal: SIGNAL }], 'asked for again in time')
    pass(1_000)
    exchange.publish(SIGNAL)
    assert.deepEqual(sent, [])
  })

  it('takes signals of other nodes, and ignores anything else', () => {
    const { exchange, local } = given()
    for (const foreign of [null, 7, {}, { signal: {} }, { signal: { ...SIGNAL, about: 'x' } }]) {
      exchange.receive(foreign)
    }
    assert.deepEqual(local, [])
    exchange.receive(JSON.parse(JSON.stringify({ signal: SIGNAL })))
    assert.deepEqual(local, [SIGNAL])
  })

  it('divides long lists of messages', () => {
    const { exchange, local } = given()
    // Brands by hand.
    const messageIds = Array.from({ length: 201 }, (_, i) => `msg_${i}` as MessageId)
    const deleted = { about: 'messages', change: 'deleted' } as const
    exchange.publish({ accountId: ACCOUNT, inboxId: INBOX, ...deleted, messageIds })
    const parts = local.map((signal) => (signal.about === 'messages' ? signal.messageIds : []))
    assert.deepEqual(
      parts.map(({ length }) => length),
      [100, 100, 1],
    )
    assert.deepEqual(parts.flat(), messageIds)
  })
})
