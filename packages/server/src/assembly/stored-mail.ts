import type { Parts } from '../app/world.ts'
import type { Config } from '../config/config.ts'
import {
  type Finding,
  type RecordFindingsDeps,
  recordFindings,
} from '../features/follow-up/record.ts'
import { IdleChecks } from '../features/sender-checks/idle.ts'
import { CheckQueue } from '../features/sender-checks/queue.ts'
import { createBatching } from '../platform/batching.ts'
import type { Log } from '../platform/log.ts'
import { unverified } from '../platform/mail-auth.ts'
import { Throttle } from '../platform/throttle.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { FollowUpThread } from '../threads/follow-up-host.ts'

/**
 * Pause after each write of findings: while it is in progress, receiving and the API wait for the
 * writer lock of SQLite, and a finding is not urgent.
 */
const RECORD_PAUSE_MS = 50

/** Shortest time between two messages to the follow-up that mails were stored. */
const STORED_MS = 50

/** The follow-up on stored mails. */
export type StoredMailFollowUp = Pick<Parts, 'onFirstRead' | 'onUnindexed'> & {
  /** Throws when the storage does not respond to the thread. */
  readonly ping: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Follows up on every stored mail, in a thread of its own. The sender of a mail is checked when the
 * mail is first read, or in idle time.
 */
export function followUpStoredMail(deps: {
  readonly config: Config
  readonly mailHost: string
  /** As of `startStoreClock`. */
  readonly clockMemory: SharedArrayBuffer | null
  readonly store: Store
  readonly log: Log
  readonly signals: Signals
  /** Messages of these mails have changed. */
  readonly publishMails: (mailIds: readonly string[]) => void
}): StoredMailFollowUp {
  const { config, store, log, signals } = deps
  const announce: RecordFindingsDeps['announce'] = ({ inboxIds, mailIds }) => {
    signals.announce({ name: 'inboxesChanged', inboxIds })
    deps.publishMails(mailIds)
  }
  const record = createBatching(
    (findings: readonly Finding[]) => recordFindings({ store, announce }, findings),
    { restMs: RECORD_PAUSE_MS },
  )
  const onCrash = (error: unknown) => {
    log.error({ err: error }, 'the follow-up thread ended; it is started again')
  }
  const followUp = new FollowUpThread({ ...deps, hostName: deps.mailHost }, { record, onCrash })
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
  const stored = new Throttle<void>(STORED_MS, () => followUp.stored())
  const stopListening = signals.listen((signal) => {
    if (signal.name !== 'mailsStored') return
    stored.add()
    idle.add(signal.mailIds)
  })
  // Attachments may wait for the scanner since before the start.
  if (config.MAYFLY_CLAMD !== null) followUp.stored()
  return {
    // After the response to the read.
    onFirstRead: (mail) => setImmediate(() => void queue.add(mail)),
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
