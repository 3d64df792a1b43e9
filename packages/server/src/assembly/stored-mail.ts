import type { Config } from '../config/config.ts'
import { type Finding, recordFindings } from '../features/follow-up/record.ts'
import { IdleChecks } from '../features/sender-checks/idle.ts'
import { CheckQueue, type MailToCheck } from '../features/sender-checks/queue.ts'
import type { Clock } from '../platform/clock.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import { unverified } from '../platform/mail-auth.ts'
import type { Signal, Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { FollowUpThread } from '../threads/follow-up-host.ts'
import { atIntervals } from './background.ts'
import { startFollowUp } from './follow-up.ts'

/**
 * Pause after each write of findings: while it is in progress, receiving and the API wait for the
 * writer lock of SQLite, and a finding is not urgent.
 */
const RECORD_PAUSE_MS = 50

/** Shortest time between two messages to the follow-up that mails were stored. */
const STORED_MS = 50

/** What follows up on stored mails. */
export type StoredMailFollowUp = {
  /** Somebody looked at a mail without verdicts of its sender: they are due now. */
  readonly onLooked: (mail: MailToCheck) => void
  /** A search found that there are messages to be added to the index. */
  readonly onUnindexed: () => void
  /** Throws when the storage does not answer to the thread. */
  readonly ping: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Follows up on every stored mail, in a thread of its own unless receiving has none either. The
 * sender of a mail is checked when somebody first looks at the mail, or in idle time.
 */
export function followUpStoredMail(deps: {
  readonly config: Config
  readonly hostName: string
  readonly clock: Clock
  readonly store: Store
  readonly log: Log
  readonly signals: Signals
  /** Messages of these mails have changed. */
  readonly publishMails: (mailIds: readonly string[]) => void
}): StoredMailFollowUp {
  const { config, store, log, signals } = deps
  const announce = ({ inboxIds, mailIds }: Pick<Signal, 'inboxIds' | 'mailIds'>) => {
    // Not the mails: they are announced to be followed up, which was done.
    signals.announce({ inboxIds, mailIds: [] })
    deps.publishMails(mailIds)
  }
  const record = createGroupCommit(
    (findings: readonly Finding[]) => recordFindings({ store, announce }, findings),
    { restMs: RECORD_PAUSE_MS },
  )
  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'the follow-up thread ended; it is started again')
  }
  const followUp =
    config.MAYFLY_SMTP_THREADS === 0
      ? startFollowUp({ ...deps, record })
      : new FollowUpThread(deps, { record, onCrash })
  const onError = (error: unknown) => log.warn({ err: error }, 'a sender check failed')
  const queue = new CheckQueue({
    check: async (mailId) => {
      const auth = await followUp.check(mailId)
      if (auth !== null) await record({ kind: 'sender', mailId, auth })
    },
    giveUp: (mailId) =>
      record({ kind: 'sender', mailId, auth: unverified('the check did not end in time') }),
    onError,
  })
  const idle = new IdleChecks({
    listMissing: (mailIds) => store.senderVerdicts.listMissing(mailIds),
    check: (mail) => queue.add(mail),
    onError,
  })
  const stored = atIntervals(STORED_MS, () => followUp.stored())
  const stopListening = signals.listen(({ mailIds }) => {
    if (mailIds.length === 0) return
    stored.call()
    idle.add(mailIds)
  })
  // Attachments may wait for the scanner since before the start.
  if (config.MAYFLY_CLAMD !== null) followUp.stored()
  return {
    // After the response that it was looked at for.
    onLooked: (mail) => setImmediate(() => void queue.add(mail)),
    onUnindexed: () => followUp.stored(),
    ping: () => followUp.ping(),
    stop: async () => {
      stopListening()
      stored.stop()
      idle.stop()
      const stopped = queue.stop()
      await followUp.stop()
      await stopped
    },
  }
}
