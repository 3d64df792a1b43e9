import {
  EVENT_TYPE,
  type EventId,
  type InboxId,
  type MessageId,
  type MessageSummary,
  type WebhookEvent,
} from '@mayfly/contract'
import type { NewDelivery } from '../../store/tables/deliveries.ts'
import type { NewMessage } from '../../store/tables/mails.ts'
import type { ActiveWebhook } from '../../store/tables/webhooks.ts'
import type { MessageInInbox } from '../receiving/commit.ts'

/**
 * One delivery, with an event id of its own, for each message and each webhook of its account.
 *
 * The body is composed only here: every attempt sends the same bytes, even when the message has
 * changed or is gone.
 */
export function composeDeliveries(
  deps: { readonly newEventId: () => EventId; readonly now: () => number },
  messages: readonly MessageInInbox[],
  webhooks: readonly ActiveWebhook[],
): NewDelivery[] {
  const createdAt = deps.now()
  const byAccount = Map.groupBy(webhooks, ({ accountId }) => accountId)
  return messages.flatMap(({ message, inbox }) =>
    (byAccount.get(inbox.accountId) ?? []).map((webhook) => {
      const id = deps.newEventId()
      const event: WebhookEvent = {
        id,
        type: EVENT_TYPE,
        createdAt: new Date(createdAt).toISOString(),
        data: {
          inbox: { id: inbox.id, emailAddress: inbox.address },
          message: summaryOf(message),
          otp: message.mail.otp,
        },
      }
      return {
        id,
        accountId: inbox.accountId,
        webhookId: webhook.id,
        url: webhook.url,
        inboxId: inbox.id,
        messageId: message.id,
        payload: JSON.stringify(event),
        createdAt,
      }
    }),
  )
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
