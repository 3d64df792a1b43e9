import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import type { IncomingMail } from '@mayfly/smtp'
import type { RefusalLog } from '../features/diagnostics/refusal-log.ts'
import type { Attempt } from '../features/faults/inject.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { AdmittedRecipient } from './admit.ts'
import type { MailToStore, ReceivedMail } from './received-mail.ts'
import type { StoredMail } from './store-mails.ts'

export type ReceiveDeps = {
  readonly clock: Clock
  readonly ids: Ids
  /** The reply with which the fault rules of an inbox refuse a mail, or null. */
  readonly injectFault: (attempt: Attempt) => Promise<string | null>
  /** Composes a large mail in a thread of its own, on behalf of an account; null for others. */
  readonly composeLarge: (
    owner: AccountId | null,
    mail: ReceivedMail,
  ) => Promise<MailToStore> | null
  /** Resolves when the mail is on the disk and announced. */
  readonly storeMail: (mail: MailToStore) => Promise<StoredMail>
  /** Counts stored bytes of an account. */
  readonly countStored: (accountId: AccountId, bytes: number) => void
  readonly refusals: Pick<RefusalLog, 'addRefusal'>
  /** A refusal could not be recorded. */
  readonly onUnrecorded: (error: unknown) => void
}

/** The facts that decide the reply to the client. */
export type ReceiveResult =
  | 'stored'
  | { readonly storedAs: MessageId }
  | { readonly reply: string }
  | 'inbox_full'
  | 'unavailable'

/**
 * The path of a mail whose recipients were admitted: compose, store, reply. It gets `250` when it
 * is stored, and on the disk.
 */
export async function receiveMail(
  deps: ReceiveDeps,
  incoming: IncomingMail<AdmittedRecipient>,
): Promise<ReceiveResult> {
  const { recipients, envelope } = incoming
  const fault = await contentFault(deps, incoming)
  if (fault !== null) return { reply: fault }
  const id = deps.ids.mailId(Math.max(...recipients.map(({ keptUntil }) => keptUntil)))
  const received = { ...incoming, id, receivedAt: deps.clock.now() }
  const composing = deps.composeLarge(recipients[0]?.accountId ?? null, received)
  const stored = await deps.storeMail(composing === null ? received : await composing)
  if (stored.fullInboxes.length > 0) {
    const recorded = deps.refusals.addRefusal({
      inboxIds: stored.fullInboxes,
      reply: 'full',
      reason: { code: 'no_room', mailSizeBytes: stored.sizeBytes },
      sender: envelope,
    })
    // Other inboxes have the mail: after an error the client would send it to them again.
    await recorded.catch(deps.onUnrecorded)
  }
  // Every inbox was deleted since its recipient was accepted: the next try is refused with 550. Or
  // its account is being moved.
  if (stored.state === 'gone') return 'unavailable'
  if (stored.state === 'full') return 'inbox_full'
  countStored(deps, incoming)
  // Mailpit and MailHog reply with the id, by which suites read the mail.
  const isCatchAll = recipients.every((recipient) => recipient.isCatchAll)
  return isCatchAll && stored.messageId !== null ? { storedAs: stored.messageId } : 'stored'
}

/** The reply with which the fault rules of an inbox refuse a whole mail, or null. */
async function contentFault(
  { injectFault }: ReceiveDeps,
  { recipients, envelope: sender }: IncomingMail<AdmittedRecipient>,
): Promise<string | null> {
  const inboxIds = recipients.filter((one) => one.mayHaveFaults).map(({ inboxId }) => inboxId)
  for (const inboxId of new Set(inboxIds)) {
    const reply = await injectFault({ inboxId, phases: ['data'], sender })
    if (reply !== null) return reply
  }
  return null
}

function countStored(
  deps: ReceiveDeps,
  { recipients, raw }: IncomingMail<AdmittedRecipient>,
): void {
  const owners = new Map<InboxId, AccountId>()
  for (const { inboxId, accountId } of recipients) owners.set(inboxId, accountId)
  for (const owner of owners.values()) deps.countStored(owner, raw.length)
}
