// What follows a stored mail: sender checks, the scanner, tidying the store. A thread of its own,
// at the lowest priority and started with the first mail, so that it takes nothing from whoever
// receives.
//
// It does not write into the store. Its findings are written by the thread that started it:
// whoever writes holds a lock for which receiving waits, and must not be put aside meanwhile.

import { setPriority } from 'node:os'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { MessageAuth } from '@mayfly/contract'
import type { Config } from './config.ts'
import type { Finding } from './features/follow-up/record.ts'
import { rawBytes } from './features/messages/bytes.ts'
import { NOT_SCANNED } from './features/receiving/receive.ts'
import { scanHeld } from './features/scanning/scan.ts'
import { CheckBacklog } from './features/sender-checks/backlog.ts'
import { checkSender } from './features/sender-checks/check.ts'
import { scanWithClamd } from './platform/clamd.ts'
import { createResolver } from './platform/dns.ts'
import { createLog, type Log } from './platform/log.ts'
import { unverified, verifySender } from './platform/mail-auth.ts'
import { openStore, type Store } from './store/open.ts'

/** What following up works with. */
export type FollowUpDeps = {
  readonly store: Store
  readonly log: Log
  readonly config: Config
  readonly hostName: string
  /** Writes a finding and announces it. */
  readonly record: (finding: Finding) => Promise<unknown>
}

/** Does what follows each stored mail. */
export type FollowUp = { add(mailIds: readonly string[]): void; stop(): Promise<void> }

/** What the thread is started with. */
export type FollowUpWorkerData = {
  readonly followUp: { readonly config: Config; readonly hostName: string }
}

/** What the threads say to each other. */
export type FollowUpMessage =
  | { readonly type: 'stored'; readonly mailIds: readonly string[] }
  | { readonly type: 'found'; readonly number: number; readonly finding: Finding }
  | { readonly type: 'recorded'; readonly number: number; readonly error: string | null }
  | { readonly type: 'stop' }

/** All checks of a mail are over by then; what DNS has not said is a temporary error. */
const CHECK_DEADLINE_MS = 8_000

/** How soon a scanner that could not be asked is asked again. */
const RESCAN_MS = 15_000

/** How soon after a mail was stored the store is tidied: often, so that each time is short. */
const TIDY_MS = 100

/** The lowest priority that the system gives a thread. */
const LOWEST_PRIORITY = 19

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
    await store.tidy().catch((error: unknown) => log.warn({ err: error }, 'the log was not tidied'))
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
  io: Pick<Parameters<typeof scanHeld>[0], 'readRaw' | 'record'>,
) {
  const where = deps.config.MAYFLY_CLAMD
  if (where === null) return { wake: () => {}, stop: async () => {} }
  const scan = {
    ...io,
    store: deps.store,
    scan: (bytes: Buffer) => scanWithClamd(where, bytes),
    heldReason: NOT_SCANNED,
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
      await scanHeld(scan).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'the scanner cannot be asked; attachments stay quarantined')
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

if (!isMainThread && parentPort !== null && 'followUp' in workerData) {
  // Checked by its name just now; only the service starts this file as a thread.
  await runThread(workerData as FollowUpWorkerData, parentPort)
}

async function runThread(
  { followUp: { config, hostName } }: FollowUpWorkerData,
  port: NonNullable<typeof parentPort>,
): Promise<void> {
  // On Linux this is the priority of the calling thread alone.
  if (process.platform === 'linux') setPriority(LOWEST_PRIORITY)
  const url = config.MAYFLY_DATABASE_URL
  const store = await openStore({ url, exclusive: false, connectionsMax: 4 })
  const log = createLog(config.MAYFLY_LOG_LEVEL)
  const { record, settle } = createRecorder((message) => port.postMessage(message))
  const followUp = startFollowUp({ store, log, config, hostName, record })
  port.on('message', async (message: FollowUpMessage) => {
    if (message.type === 'stored') followUp.add(message.mailIds)
    else if (message.type === 'recorded') settle(message.number, message.error)
    else if (message.type === 'stop') {
      await followUp.stop()
      await store.close()
      port.close()
    }
  })
}

/** Has findings written by the other thread. */
function createRecorder(tell: (message: FollowUpMessage) => void) {
  const waiting = new Map<number, PromiseWithResolvers<void>>()
  let count = 0
  return {
    record: (finding: Finding): Promise<void> => {
      const written = Promise.withResolvers<void>()
      count += 1
      waiting.set(count, written)
      tell({ type: 'found', number: count, finding })
      return written.promise
    },
    settle: (number: number, error: string | null): void => {
      if (error === null) waiting.get(number)?.resolve()
      else waiting.get(number)?.reject(new Error(error))
      waiting.delete(number)
    },
  }
}
