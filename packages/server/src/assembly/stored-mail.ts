import type { Config } from '../config/config.ts'
import { type Finding, recordFindings } from '../features/follow-up/record.ts'
import type { Clock } from '../platform/clock.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import type { Signal, Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { createFollowUpThread } from '../threads/follow-up-host.ts'
import { startFollowUp } from './follow-up.ts'

/** How far back unfinished sender checks are resumed at a start. */
const UNCHECKED_MS = 60 * 60 * 1000
const UNCHECKED_MAX = 1_000

/**
 * Pause after each write of findings: while it is in progress, receiving and the API wait for the
 * writer lock of SQLite, and a finding is not urgent.
 */
const RECORD_PAUSE_MS = 50

/**
 * Follows up on every stored mail, in a thread of its own unless receiving has none either;
 * returns how to stop.
 */
export async function followUpStoredMail(deps: {
  readonly config: Config
  readonly hostName: string
  readonly store: Store
  readonly log: Log
  readonly clock: Clock
  readonly signals: Signals
}): Promise<() => Promise<void>> {
  const { config, store, log, clock, signals } = deps
  const announce = (inboxIds: Signal['inboxIds']) => signals.announce({ inboxIds, mailIds: [] })
  const record = createGroupCommit(
    (findings: readonly Finding[]) => recordFindings({ store, announce }, findings),
    RECORD_PAUSE_MS,
  )
  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'the follow-up thread crashed; sender checks and scans stop')
  }
  const followUp =
    config.MAYFLY_SMTP_THREADS === 0
      ? startFollowUp({ ...deps, record })
      : createFollowUpThread(deps, { record, onCrash })
  const stopListening = signals.listen(({ mailIds }) => {
    if (mailIds.length > 0) followUp.add(mailIds)
  })
  const unchecked = await store.mails.listUnchecked(clock.now() - UNCHECKED_MS, UNCHECKED_MAX)
  if (unchecked.length > 0) followUp.add(unchecked.toReversed())
  return async () => {
    stopListening()
    await followUp.stop()
  }
}
