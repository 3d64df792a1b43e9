import type { AccountId, MessageId } from '@mayfly/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { RefusalLog } from '../diagnostics/refusal-log.ts'
import type { AdmittedRecipient } from './admit.ts'
import type { StoreOutcome } from './commit.ts'
import type { AcceptedMail, ArrivedMail } from './compose.ts'

/** What receiving needs. */
export type ReceiveDeps = {
  readonly clock: Clock
  readonly ids: Ids
  /**
   * Parses a mail and stores it; resolves once it is on the disk and announced. `owner` is the
   * account of the first recipient, on whose behalf a large mail is parsed.
   */
  readonly store: (owner: AccountId | null, arrived: ArrivedMail) => Promise<StoreOutcome>
  readonly refusals: RefusalLog
  /** A refusal could not be recorded. */
  readonly onUnrecorded: (error: unknown) => void
}

/** What the reply to the client is chosen by. */
export type ReceiveResult =
  | 'stored'
  | { readonly storedAs: MessageId }
  | 'inbox_full'
  | 'unavailable'

/** Gives a mail its id and has it stored; what had no room is recorded in the diagnostics. */
export async function receiveMail(
  deps: ReceiveDeps,
  accepted: Omit<AcceptedMail, 'recipients'> & {
    readonly recipients: readonly AdmittedRecipient[]
  },
): Promise<ReceiveResult> {
  const id = deps.ids.mailId(Math.max(...accepted.recipients.map(({ keptUntil }) => keptUntil)))
  const owner = accepted.recipients[0]?.accountId ?? null
  const result = await deps.store(owner, { id, receivedAt: deps.clock.now(), accepted })
  if (result.fullInboxes.length > 0) {
    const recorded = deps.refusals.addRefusal({
      inboxIds: result.fullInboxes,
      reply: 'full',
      reason: { code: 'no_room', mailSizeBytes: result.sizeBytes },
      sender: accepted.envelope,
    })
    // Other inboxes have the mail: after an error the client would send it to them again.
    await recorded.catch(deps.onUnrecorded)
  }
  if (result.state === 'stored') {
    // Mailpit and MailHog tell the id, by which suites read the mail.
    const isCaught = accepted.recipients.every((recipient) => recipient.isCaught)
    return isCaught && result.messageId !== null ? { storedAs: result.messageId } : 'stored'
  }
  // Every inbox was deleted since its recipient was accepted: the next try is refused with 550.
  return result.state === 'full' ? 'inbox_full' : 'unavailable'
}
