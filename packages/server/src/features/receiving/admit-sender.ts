import type { InboxId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Recipient } from '../../store/tables/receiving.ts'
import type { Sender } from './admit.ts'

/** What admitting a sender needs. */
export type AdmitSenderDeps = {
  readonly clock: Clock
  /** The reply with which the fault rules of an inbox refuse a sender, or null. */
  readonly injectFault: (attempt: {
    readonly inboxId: InboxId
    readonly phases: readonly ['sender']
    readonly sender: Sender
  }) => Promise<string | null>
  readonly findKnownInbox: (identity: string | null) => Promise<Recipient | null>
}

/**
 * The reply with which the fault rules of an inbox refuse a sender at MAIL; null when it goes on.
 *
 * Only where the inbox is known before the recipient: by AUTH, or because mail without credentials
 * goes to one inbox. For all others `admitRecipient` uses these rules.
 */
export async function admitSender(deps: AdmitSenderDeps, sender: Sender): Promise<string | null> {
  const inbox = await deps.findKnownInbox(sender.user?.identity ?? null)
  if (inbox === null || inbox.faultsUntil <= deps.clock.now()) return null
  return deps.injectFault({ inboxId: inbox.inboxId, phases: ['sender'], sender })
}
