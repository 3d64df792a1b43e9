// Work that follows a stored mail: sender checks, malware scans, the search index, SQLite
// checkpoints. It usually runs in a thread of its own (threads/follow-up-*) of low priority, which
// the first mail starts.
//
// The main thread writes its findings: a writer holds a lock that receiving waits for, and a thread
// of low priority could be descheduled while it holds it. Only the search index is written here:
// that takes long, and is done mostly while no mail arrives.

import type { MessageAuth } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import type { AttachmentFinding } from '../features/follow-up/record.ts'
import { findRawBytes } from '../features/messages/bytes.ts'
import { type ScanFailures, scanAttachments } from '../features/scanning/scan.ts'
import { fillIndex, ListedMessages } from '../features/search/fill-index.ts'
import { IndexFiller } from '../features/search/index-filler.ts'
import { checkSender } from '../features/sender-checks/check.ts'
import { scanWithClamd } from '../platform/clamd.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import { createResolver } from '../platform/dns/resolver.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { type SenderFacts, unverified, verifySender } from '../platform/mail-auth.ts'
import type { Store } from '../store/open.ts'
import type { FollowUp } from '../threads/follow-up-host.ts'

/** What following up needs. */
export type FollowUpDeps = {
  readonly store: Store
  readonly log: Log
  readonly config: Config
  readonly hostName: string
  readonly clock: Clock
  /** Resolves once the finding is stored and announced. */
  readonly record: (finding: AttachmentFinding) => Promise<unknown>
}

/** Time for all sender checks of a mail; a check without an answer by then is a temporary error. */
const CHECK_DEADLINE_MS = 8_000

/** Interval of scans that does not depend on new mail, for when the scanner was unavailable. */
const RESCAN_MS = 15_000

/** Delay of a checkpoint after a mail was stored: short, so that each checkpoint is small. */
const CHECKPOINT_MS = 100

/** Follows up on this thread. */
export function startFollowUp(deps: FollowUpDeps): FollowUp {
  const { store, log } = deps
  const readRaw = (mailId: string) => findRawBytes({ store }, mailId)
  const verifier = createVerifier(deps)
  const check = { store, readRaw, verify: verifier.verify }
  let checkpointing: NodeJS.Timeout | null = null
  const checkpoint = async () => {
    checkpointing = null
    await store
      .checkpoint()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the checkpoint of the write-ahead log failed'),
      )
  }
  const scanner = createScanner(deps, {
    readRaw,
    record: async (attachment, verdict) => {
      await deps.record({ kind: 'attachment', attachment, verdict })
    },
  })
  const indexing = createIndexing(deps)
  return {
    stored: () => {
      checkpointing ??= setTimeout(checkpoint, CHECKPOINT_MS)
      scanner.wake()
      indexing?.stored(elapsedMs())
    },
    check: (mailId) => checkSender(check, mailId),
    ping: () => store.ping(),
    stop: async () => {
      if (checkpointing !== null) clearTimeout(checkpointing)
      verifier.stop()
      await indexing?.stop()
      await scanner.stop()
    },
  }
}

/** Adds stored messages to the search index; null when there is none. */
function createIndexing({ config, store, clock, log }: FollowUpDeps): IndexFiller | null {
  if (!config.MAYFLY_SEARCH_INDEX) return null
  const ids = createIds(clock)
  const fill = { store, clock, ids, node: ids.node() }
  const listed = new ListedMessages()
  return new IndexFiller({
    fill: () => fillIndex(fill, listed),
    onError: (error) => log.warn({ err: error }, 'the search index could not be written'),
  })
}

/** Verifies senders within the deadline; after `stop`, running and later checks are rejected. */
function createVerifier({ config, hostName }: FollowUpDeps) {
  const dns = createResolver({
    servers: config.MAYFLY_DNS_SERVERS,
    timeoutMs: CHECK_DEADLINE_MS / 4,
    tries: 2,
  })
  const stopping = new AbortController()
  const verify = async (facts: Omit<SenderFacts, 'hostName'>): Promise<MessageAuth> => {
    stopping.signal.throwIfAborted()
    // mailauth cannot be stopped, but each of its look-ups after the end is refused.
    const ended = new AbortController()
    const resolver: typeof dns.resolver = async (...query) => {
      ended.signal.throwIfAborted()
      return dns.resolver(...query)
    }
    const { promise: deadline, resolve, reject } = Promise.withResolvers<MessageAuth>()
    const timeOut = () => resolve(unverified('DNS did not respond in time'))
    const timer = setTimeout(timeOut, CHECK_DEADLINE_MS)
    const stop = () => reject(stopping.signal.reason)
    stopping.signal.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([verifySender({ ...facts, hostName }, resolver), deadline])
    } catch (error) {
      if (stopping.signal.aborted) throw error
      return unverified(error instanceof Error ? error.message : String(error))
    } finally {
      clearTimeout(timer)
      stopping.signal.removeEventListener('abort', stop)
      ended.abort()
    }
  }
  const stop = () => {
    stopping.abort()
    dns.close()
  }
  return { verify, stop }
}

/** Scans after each stored mail, and at an interval. */
function createScanner(
  deps: FollowUpDeps,
  io: Pick<Parameters<typeof scanAttachments>[0], 'readRaw' | 'record'>,
) {
  const address = deps.config.MAYFLY_CLAMD
  if (address === null) return { wake: () => {}, stop: async () => {} }
  const stopping = new AbortController()
  const { signal } = stopping
  const scan = {
    ...io,
    store: deps.store,
    scan: (bytes: Buffer) => scanWithClamd({ address, signal }, bytes),
  }
  let failures: ScanFailures = new Map()
  let running: Promise<void> | null = null
  let isDue = false
  const wake = () => {
    isDue = true
    running ??= run()
  }
  const run = async () => {
    while (isDue) {
      isDue = false
      try {
        failures = await scanAttachments(scan, failures)
      } catch (error) {
        if (signal.aborted) return
        deps.log.warn({ err: error }, 'clamd did not respond; attachments stay quarantined')
      }
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
      stopping.abort()
      await running
    },
  }
}
