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
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { NewDelivery } from '../../store/tables/deliveries.ts'
import type { NewMessage } from '../../store/tables/mails.ts'
import type { InboxUsage } from '../../store/tables/receiving.ts'
import type { ActiveWebhook } from '../../store/tables/webhooks.ts'

/** A stored message and its inbox. */
type MessageInInbox = {
  readonly message: NewMessage
  readonly inbox: Pick<InboxUsage, 'id' | 'accountId' | 'address'>
}

/** Deliveries to be written, and an entry for each message that lacks some. */
type ComposedDeliveries = {
  readonly deliveries: readonly NewDelivery[]
  readonly omissions: readonly {
    readonly inboxId: InboxId
    readonly at: number
    readonly detail: string
  }[]
}

/**
 * One delivery, with an event id of its own, for each message and each webhook of its account whose
 * quota allows one more.
 *
 * The body is composed only here: every attempt sends the same bytes, even when the message has
 * changed or is gone.
 */
export function composeDeliveries(
  { ids, clock }: { readonly ids: Pick<Ids, 'next'>; readonly clock: Clock },
  messages: readonly MessageInInbox[],
  webhooks: readonly ActiveWebhook[],
): ComposedDeliveries {
  const createdAt = clock.now()
  const payloads = payloadsAt(createdAt)
  const byAccount = Map.groupBy(webhooks, ({ accountId }) => accountId)
  const quotas = new Map([...byAccount].map(([id, own]) => [id, new PendingQuota(own)]))
  const deliveries: NewDelivery[] = []
  const omissions: ComposedDeliveries['omissions'][number][] = []
  for (const { message, inbox } of messages) {
    const { accountId, id: inboxId } = inbox
    const own = byAccount.get(accountId) ?? []
    const open = own.filter(({ id }) => quotas.get(accountId)?.take(id))
    // Once for all webhooks: it is most of the work.
    const data = open.length === 0 ? '' : JSON.stringify(dataOf(message, inbox))
    for (const { id: webhookId, url } of open) {
      const id = ids.next('event')
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
 * The quota of pending deliveries of an account. When it is used up, a webhook still has its equal
 * share: one that does not respond must not use up the share of the others.
 */
class PendingQuota {
  readonly #pending: Map<WebhookId, number>
  readonly #share: number
  #total: number

  constructor(webhooks: readonly ActiveWebhook[]) {
    this.#pending = new Map(webhooks.map(({ id, pending }) => [id, pending]))
    this.#share = Math.ceil(PENDING_DELIVERIES_MAX / webhooks.length)
    this.#total = webhooks.reduce((sum, { pending }) => sum + pending, 0)
  }

  /** Counts one delivery against the quota; false when it is used up. */
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
