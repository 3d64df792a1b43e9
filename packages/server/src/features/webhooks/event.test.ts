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
import type { Ids } from '../../platform/ids.ts'
import type { NewMail } from '../../store/tables/mails.ts'
import { composeDeliveries, sampleEvent } from './event.ts'

const NOW = Date.UTC(2026, 0, 31, 9, 30)

// Brands by hand: the test needs fixed ids.
const account = (name: string) => `acc_${name}` as AccountId
const hook = (name: string, owner: string, pending = 0) => ({
  id: `whk_${name}` as WebhookId, // A brand by hand.
  accountId: account(owner),
  url: `https://${name}.example/`,
  pending,
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
  // A brand by hand.
  const ids: Pick<Ids, 'next'> = { next: () => `evt_${++count}` as never }
  const deps = { ids, clock: { now: () => NOW } }
  return composeDeliveries(deps, ...args)
}

describe('the deliveries of a commit', () => {
  it('are one a message and webhook of its own account, each with its own id', () => {
    const hooks = [hook('a1', 'a'), hook('a2', 'a'), hook('b1', 'b')]
    const { deliveries: made, omissions } = compose(
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
    assert.deepEqual(omissions, [])
  })

  it('hold the event as the contract has it', () => {
    const [made] = compose([arrived('msg_1', 'a')], [hook('a1', 'a')]).deliveries
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

  it('are no more than may be pending, and the inbox shows which are left out', () => {
    const hooks = [hook('a1', 'a', 9_998), hook('b1', 'b')]
    const messages = ['msg_1', 'msg_2', 'msg_3', 'msg_4'].map((id) => arrived(id, 'a'))
    const made = compose([...messages, arrived('msg_5', 'b')], hooks)
    assert.deepEqual(
      made.deliveries.map(({ messageId }) => messageId),
      ['msg_1', 'msg_2', 'msg_5'],
    )
    const because = 'is not sent to 1 webhook: too many deliveries are pending'
    const about = { inboxId: 'inb_a', at: NOW }
    assert.deepEqual(made.omissions, [
      { ...about, detail: `msg_3 ${because}` },
      { ...about, detail: `msg_4 ${because}` },
    ])
  })

  it('go to a webhook within its share, whatever is pending to the others', () => {
    const hooks = [hook('dead', 'a', 10_000), hook('dead2', 'a', 9_000), hook('good', 'a', 3_333)]
    const { deliveries, omissions } = compose([arrived('msg_1', 'a'), arrived('msg_2', 'a')], hooks)
    assert.deepEqual(
      deliveries.map(({ webhookId }) => webhookId),
      ['whk_good'],
    )
    assert.deepEqual(
      omissions.map(({ detail }) => detail.split(':')[0]),
      ['msg_1 is not sent to 2 webhooks', 'msg_2 is not sent to 3 webhooks'],
    )
  })

  it('are like the sample, which says that it is one', () => {
    const sample = sampleEvent('evt_9' as EventId, NOW) // A brand by hand.
    const { test, ...event } = webhookEventSchema.parse(sample)
    assert.equal(test, true)
    const [made] = compose([arrived('msg_1', 'a')], [hook('a1', 'a')]).deliveries
    const shape = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
        : null
    assert.deepEqual(shape(event), shape(JSON.parse(String(made?.payload))))
  })
})
