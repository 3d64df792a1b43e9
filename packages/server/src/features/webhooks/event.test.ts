import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type AccountId,
  type EventId,
  type InboxId,
  type MessageId,
  type WebhookId,
  webhookEventSchema,
} from '@mayfly/contract'
import type { NewMail } from '../../store/tables/mails.ts'
import { composeDeliveries, sampleEvent } from './event.ts'

const NOW = Date.UTC(2026, 0, 31, 9, 30)

// Brands by hand: the test needs fixed ids.
const account = (name: string) => `acc_${name}` as AccountId
const hook = (name: string, owner: string) => ({
  id: `whk_${name}` as WebhookId, // A brand by hand.
  accountId: account(owner),
  url: `https://${name}.example/`,
})

// What a delivery does not read is left out.
const MAIL = {
  id: 'eml_1',
  receivedAt: NOW - 5,
  from: { name: null, address: 'app@example.com' },
  subject: 'Grüße \u2028 \u0000',
  preview: null,
  otp: { value: '481516', confidence: 0.99 },
  attachments: [],
} as unknown as NewMail

const arrived = (id: string, owner: string) => ({
  inbox: {
    id: `inb_${owner}` as InboxId, // A brand by hand.
    accountId: account(owner),
    address: `${owner}@mayfly.test`,
  },
  message: {
    id: id as MessageId, // A brand by hand.
    inboxId: `inb_${owner}` as InboxId, // A brand by hand.
    recipient: `${owner}@mayfly.test`,
    sequence: 1,
    mail: MAIL,
  },
})

function compose(...args: [Parameters<typeof composeDeliveries>[1], ReturnType<typeof hook>[]]) {
  let count = 0
  const deps = { newEventId: () => `evt_${++count}` as EventId, now: () => NOW } // A brand by hand.
  return composeDeliveries(deps, ...args)
}

describe('the deliveries of a commit', () => {
  it('are one a message and webhook of its own account, each with its own id', () => {
    const hooks = [hook('a1', 'a'), hook('a2', 'a'), hook('b1', 'b')]
    const made = compose(
      [arrived('msg_1', 'a'), arrived('msg_2', 'b'), arrived('msg_3', 'c')],
      hooks,
    )
    const pairs = made.map(({ id, messageId, webhookId }) => [id, messageId, webhookId])
    assert.deepEqual(pairs, [
      ['evt_1', 'msg_1', 'whk_a1'],
      ['evt_2', 'msg_1', 'whk_a2'],
      ['evt_3', 'msg_2', 'whk_b1'],
    ])
    for (const { id, payload } of made) assert.equal(JSON.parse(payload).id, id)
  })

  it('hold the event as the contract has it', () => {
    const [made] = compose([arrived('msg_1', 'a')], [hook('a1', 'a')])
    const event: unknown = JSON.parse(String(made?.payload))
    assert.deepEqual(webhookEventSchema.parse(event), event)
    assert.deepEqual(event, {
      id: 'evt_1',
      type: 'message.received',
      createdAt: '2026-01-31T09:30:00.000Z',
      data: {
        inbox: { id: 'inb_a', emailAddress: 'a@mayfly.test' },
        message: {
          id: 'msg_1',
          from: { name: null, address: 'app@example.com' },
          recipient: 'a@mayfly.test',
          subject: MAIL.subject,
          preview: null,
          receivedAt: '2026-01-31T09:29:59.995Z',
          hasAttachments: false,
          hasOtp: true,
          read: false,
        },
        otp: { value: '481516', confidence: 0.99 },
      },
    })
  })

  it('are like the sample, which says that it is one', () => {
    const sample = sampleEvent('evt_9' as EventId, NOW) // A brand by hand.
    const { test, ...event } = webhookEventSchema.parse(sample)
    assert.equal(test, true)
    const [made] = compose([arrived('msg_1', 'a')], [hook('a1', 'a')])
    const shape = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
        : null
    assert.deepEqual(shape(event), shape(JSON.parse(String(made?.payload))))
  })
})
