// What follows a stored mail: sender checks, the scanner, SQLite's checkpoints. It usually runs in
// a thread of its own (threads/follow-up-*) of the lowest priority, started with the first mail.
//
// It does not write into the store. Its findings are written by the main thread: a writer holds a
// lock that receiving waits for, and must not be descheduled meanwhile.

import type { MessageAuth } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { type Finding, recordFindings } from '../features/follow-up/record.ts'
import { rawBytes } from '../features/messages/bytes.ts'
import { scanAttachments } from '../features/scanning/scan.ts'
import { CheckBacklog } from '../features/sender-checks/backlog.ts'
import { checkSender } from '../features/sender-checks/check.ts'
import { scanWithClamd } from '../platform/clamd.ts'
import type { Clock } from '../platform/clock.ts'
import { createResolver } from '../platform/dns/resolver.ts'
import { createGroupCommit } from '../platform/group-commit.ts'
import type { Log } from '../platform/log.ts'
import { unverified, verifySender } from '../platform/mail-auth.ts'
import type { Signal, Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { createFollowUpThread, type FollowUp } from '../threads/follow-up-host.ts'

/** What following up works with. */
export type FollowUpDeps = {
  readonly store: Store
  readonly log: Log
  readonly config: Config
  readonly hostName: string
  /** Writes a finding and announces it. */
  readonly record: (finding: Finding) => Promise<unknown>
}

/** All checks of a mail are over by then; what DNS has not said is a temporary error. */
const CHECK_DEADLINE_MS = 8_000

/** How far back unfinished sender checks are resumed at a start. */
const UNCHECKED_MS = 60 * 60 * 1000
const UNCHECKED_MAX = 1_000

/**
 * Pause after each write of findings: a write holds up receiving and the API for as long as the
 * disk takes, and nobody waits for a finding by the millisecond.
 */
const RECORD_PAUSE_MS = 50

/** How soon a scanner that could not be asked is asked again. */
const RESCAN_MS = 15_000

/** How soon after a mail was stored the store is tidied: often, so that each time is short. */
const TIDY_MS = 100

/** Follows up on every stored mail, in the thread that is configured; returns how to stop it. */
export async function followUpOnMail(deps: {
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
    log.error({ err: error }, 'the follow-up thread ended; sender checks stop')
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

/** Follows up on this thread. */
export function startFollowUp(deps: FollowUpDeps): FollowUp {
  const { store, log, config } = deps
  const recording = new Set<Promise<unknown>>()
  const record = (finding: Finding) => {
    const written = deps.record(finding).finally(() => recording.delete(written))
    recording.add(written)
    return written
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'a sender check failed')
  const readRaw = (mailId: string) => rawBytes({ store }, mailId)
  const resolver = createResolver({
    servers: config.MAYFLY_DNS_SERVERS,
    timeoutMs: CHECK_DEADLINE_MS / 4,
    tries: 2,
  })
  const check = {
    store,
    readRaw,
    record: (mailId: string, auth: MessageAuth) => {
      record({ kind: 'sender', mailId, auth }).catch(failed)
    },
    verify: (facts: Omit<Parameters<typeof verifySender>[0], 'hostName'>) =>
      withinDeadline(verifySender({ ...facts, hostName: deps.hostName }, resolver.resolver)),
  }
  const backlog = new CheckBacklog((mailId) => checkSender(check, mailId), failed)
  let tidying: NodeJS.Timeout | null = null
  const tidy = async () => {
    tidying = null
    await store
      .tidy()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the checkpoint of the write-ahead log failed'),
      )
  }
  const scanner = createScanner(deps, {
    readRaw,
    record: async (attachmentId, verdict) => {
      await record({ kind: 'attachment', attachmentId, verdict })
    },
  })
  return {
    add: (mailIds) => {
      tidying ??= setTimeout(tidy, TIDY_MS)
      backlog.add(mailIds)
      scanner.wake()
    },
    stop: async () => {
      if (tidying !== null) clearTimeout(tidying)
      await backlog.stop()
      await scanner.stop()
      await Promise.allSettled(recording)
      resolver.close()
    },
  }
}

async function withinDeadline(verdict: ReturnType<typeof verifySender>) {
  const { promise: deadline, resolve } = Promise.withResolvers<ReturnType<typeof unverified>>()
  const timer = setTimeout(
    () => resolve(unverified('DNS did not answer in time')),
    CHECK_DEADLINE_MS,
  )
  try {
    return await Promise.race([verdict, deadline])
  } catch (error) {
    return unverified(error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(timer)
  }
}

/** Scans whenever something was stored, and again while the scanner cannot be asked. */
function createScanner(
  deps: FollowUpDeps,
  io: Pick<Parameters<typeof scanAttachments>[0], 'readRaw' | 'record'>,
) {
  const where = deps.config.MAYFLY_CLAMD
  if (where === null) return { wake: () => {}, stop: async () => {} }
  const scan = {
    ...io,
    store: deps.store,
    scan: (bytes: Buffer) => scanWithClamd(where, bytes),
  }
  let running: Promise<void> | null = null
  let isDue = false
  const wake = () => {
    isDue = true
    running ??= run()
  }
  const run = async () => {
    while (isDue) {
      isDue = false
      await scanAttachments(scan).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the scanner did not answer; attachments stay quarantined')
      })
    }
    running = null
  }
  const again = setInterval(wake, RESCAN_MS)
  wake()
  return {
    wake,
    stop: async () => {
      clearInterval(again)
      isDue = false
      await running
    },
  }
}
