import {
  EVENT_TYPE,
  type EventId,
  type InboxId,
  type MessageId,
  type MessageSummary,
  PENDING_DELIVERIES_MAX,
  type WebhookEvent,
  type WebhookId,
} from '@mayfly/contract'
import type { NewDelivery } from '../../store/tables/deliveries.ts'
import type { NewMessage } from '../../store/tables/mails.ts'
import type { ActiveWebhook } from '../../store/tables/webhooks.ts'
import type { ComposedDeliveries, MessageInInbox } from '../receiving/commit.ts'

/**
 * One delivery, with an event id of its own, for each message and each webhook of its account that
 * has room for one more.
 *
 * The body is composed only here: every attempt sends the same bytes, even when the message has
 * changed or is gone.
 */
export function composeDeliveries(
  deps: { readonly newEventId: () => EventId; readonly now: () => number },
  messages: readonly MessageInInbox[],
  webhooks: readonly ActiveWebhook[],
): ComposedDeliveries {
  const createdAt = deps.now()
  const payloads = payloadsAt(createdAt)
  const byAccount = Map.groupBy(webhooks, ({ accountId }) => accountId)
  const rooms = new Map([...byAccount].map(([id, own]) => [id, new PendingRoom(own)]))
  const deliveries: NewDelivery[] = []
  const omissions: ComposedDeliveries['omissions'][number][] = []
  for (const { message, inbox } of messages) {
    const { accountId, id: inboxId } = inbox
    const own = byAccount.get(accountId) ?? []
    const open = own.filter(({ id }) => rooms.get(accountId)?.take(id))
    // Once for all webhooks: it is most of the work.
    const data = open.length === 0 ? '' : JSON.stringify(dataOf(message, inbox))
    for (const { id: webhookId, url } of open) {
      const id = deps.newEventId()
      const about = { accountId, webhookId, url, inboxId, messageId: message.id }
      deliveries.push({ id, ...about, payload: payloads(id, data), createdAt })
    }
    if (open.length < own.length) {
      const detail = omissionText(message.id, own.length - open.length)
      omissions.push({ inboxId, at: createdAt, detail })
    }
  }
  return { deliveries, omissions }
}

/**
 * The room for pending deliveries of an account. When it is used up, a webhook still has its equal
 * share: one that does not respond must not take the room of the others.
 */
class PendingRoom {
  readonly #pending: Map<WebhookId, number>
  readonly #share: number
  #total: number

  constructor(webhooks: readonly ActiveWebhook[]) {
    this.#pending = new Map(webhooks.map(({ id, pending }) => [id, pending]))
    this.#share = Math.ceil(PENDING_DELIVERIES_MAX / webhooks.length)
    this.#total = webhooks.reduce((sum, { pending }) => sum + pending, 0)
  }

  /** Takes room for one delivery; false when there is none. */
  take(id: WebhookId): boolean {
    const pending = this.#pending.get(id) ?? 0
    if (this.#total >= PENDING_DELIVERIES_MAX && pending >= this.#share) return false
    this.#pending.set(id, pending + 1)
    this.#total += 1
    return true
  }
}

function omissionText(id: MessageId, webhooks: number): string {
  const to = webhooks === 1 ? '1 webhook' : `${webhooks} webhooks`
  return `${id} is not sent to ${to}: too many deliveries are pending`
}

function dataOf(message: NewMessage, inbox: MessageInInbox['inbox']): WebhookEvent['data'] {
  return {
    inbox: { id: inbox.id, emailAddress: inbox.address },
    message: summaryOf(message),
    otp: message.mail.otp,
  }
}

/** Writes WebhookEvents of a time as JSON, around their data. An id needs no escaping. */
function payloadsAt(createdAt: number): (id: EventId, data: string) => string {
  const head = JSON.stringify({ type: EVENT_TYPE, createdAt: new Date(createdAt).toISOString() })
  const rest = `${head.slice(1, -1)},"data":`
  return (id, data) => `{"id":"${id}",${rest}${data}}`
}

/** An event with made-up data, to test a receiver without any mail. */
export function sampleEvent(id: EventId, now: number): WebhookEvent {
  const createdAt = new Date(now).toISOString()
  return {
    id,
    type: EVENT_TYPE,
    createdAt,
    test: true,
    data: {
      // Branded by hand: no inbox or message has these ids.
      inbox: { id: 'inb_sample' as InboxId, emailAddress: 'sample@mayfly.test' },
      message: {
        id: 'msg_sample' as MessageId, // Branded by hand, like the inbox.
        from: { name: 'Example App', address: 'no-reply@example.com' },
        recipient: 'sample@mayfly.test',
        subject: 'Your code is 481516',
        preview: 'Enter 481516 to confirm your address.',
        receivedAt: createdAt,
        hasAttachments: false,
        hasOtp: true,
        read: false,
      },
      otp: { value: '481516', confidence: 1 },
    },
  }
}

function summaryOf({ id, recipient, mail }: NewMessage): MessageSummary {
  return {
    id,
    from: mail.from,
    recipient,
    subject: mail.subject,
    preview: mail.preview,
    receivedAt: new Date(mail.receivedAt).toISOString(),
    hasAttachments: mail.attachments.length > 0,
    hasOtp: mail.otp !== null,
    read: false,
  }
}
