import type { Clock } from '../../platform/clock.ts'
import type { GroupCommit } from '../../platform/group-commit.ts'
import type { Ids } from '../../platform/ids.ts'
import type { NewMail } from '../../store/tables/mails.ts'
import type { RefusalLog } from '../diagnostics/refusal-log.ts'
import type { CommitResult, ReadyMail } from './commit.ts'
import type { AcceptedMail, ArrivedMail } from './compose.ts'

/** What receiving needs. */
export type ReceiveDeps = {
  readonly clock: Clock
  readonly ids: Ids
  /** Everything that is stored of a mail. */
  readonly compose: (arrived: ArrivedMail) => NewMail | Promise<NewMail>
  /** Resolves once the mail is stored and announced. */
  readonly commit: GroupCommit<ReadyMail, Pick<CommitResult, 'state' | 'fullInboxes'>>
  readonly refusals: RefusalLog
}

/** What the reply to the client is chosen by. */
export type ReceiveResult = 'stored' | 'inbox_full' | 'unavailable'

/** Parses a mail, stores it together with others that are ready, and announces it. */
export async function receiveMail(
  deps: ReceiveDeps,
  accepted: AcceptedMail,
): Promise<ReceiveResult> {
  const id = deps.ids.mailId(Math.max(...accepted.recipients.map(({ keptUntil }) => keptUntil)))
  const composed = deps.compose({ id, receivedAt: deps.clock.now(), accepted })
  const mail = composed instanceof Promise ? await composed : composed
  const result = await deps.commit({ mail, recipients: accepted.recipients })
  if (result.fullInboxes.length > 0) {
    await deps.refusals.addRefusal({
      inboxIds: result.fullInboxes,
      reply: 'full',
      reason: { code: 'no_room', mailSizeBytes: mail.sizeBytes },
      sender: accepted.envelope,
    })
  }
  if (result.state === 'stored') return 'stored'
  // Every inbox was deleted since its recipient was accepted: the next try is refused with 550.
  return result.state === 'full' ? 'inbox_full' : 'unavailable'
}
