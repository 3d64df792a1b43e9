// Work that follows a stored mail: sender checks, malware scans, the search index, SQLite
// checkpoints. It runs in a thread of its own (threads/follow-up-*) of low priority, which the
// first mail starts.
//
// The main thread writes the findings: a writer holds a lock for which receiving waits, and a
// thread of low priority could be descheduled with it. Only the search index is written here: that
// takes long, and happens mostly while no mail arrives.

import type { MessageAuth } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import type { AttachmentFinding } from '../features/follow-up/record.ts'
import { findRawBytes } from '../features/messages/bytes.ts'
import {
  type Scanning,
  type ScanningDeps,
  startScanning,
} from '../features/scanning/start-scanning.ts'
import { fillIndex, ListedMessages } from '../features/search/fill-index.ts'
import { IndexFiller } from '../features/search/index-filler.ts'
import { checkSender } from '../features/sender-checks/check.ts'
import { scanWithClamd } from '../platform/clamd.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { createSenderVerifier } from '../platform/sender-verifier.ts'
import type { Store } from '../store/open.ts'

/** Follows up on stored mails. */
export type FollowUp = {
  /** Mails were stored: scans their attachments. */
  stored(): void
  /** The verdicts on the sender of a mail; null when it was deleted or has verdicts already. */
  check(mailId: string): Promise<MessageAuth | null>
  /** Throws when the storage does not respond to it. */
  ping(): Promise<void>
  stop(): Promise<void>
}

export type FollowUpDeps = {
  readonly store: Store
  readonly log: Log
  readonly config: Config
  readonly hostName: string
  readonly clock: Clock
  /** Resolves once the finding is stored and announced. */
  readonly record: (finding: AttachmentFinding) => Promise<unknown>
}

/** Delay of a checkpoint after a mail was stored: short, so that each checkpoint is small. */
const CHECKPOINT_MS = 100

/** Follows up on this thread. */
export function startFollowUp(deps: FollowUpDeps): FollowUp {
  const { store, log } = deps
  const readRaw = (mailId: string) => findRawBytes({ store }, mailId)
  const verifier = createSenderVerifier(deps.config.MAYFLY_DNS_SERVERS, deps.hostName)
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
  const scanning = createScanning(deps, readRaw)
  const indexing = createIndexing(deps)
  return {
    stored: () => {
      checkpointing ??= setTimeout(checkpoint, CHECKPOINT_MS)
      scanning?.wake()
      indexing?.stored(elapsedMs())
    },
    check: (mailId) => checkSender(check, mailId),
    ping: () => store.ping(),
    stop: async () => {
      if (checkpointing !== null) clearTimeout(checkpointing)
      verifier.stop()
      await indexing?.stop()
      await scanning?.stop()
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

/** Scans with clamd; null when it is not set. */
function createScanning(
  { config, store, clock, log, record }: FollowUpDeps,
  readRaw: ScanningDeps['readRaw'],
): Scanning | null {
  const address = config.MAYFLY_CLAMD
  if (address === null) return null
  return startScanning({
    store,
    clock,
    readRaw,
    scan: (bytes, signal) => scanWithClamd({ address, signal }, bytes),
    record: async (attachment, verdict) => {
      await record({ kind: 'attachment', attachment, verdict })
    },
    onUnavailable: (error) =>
      log.warn({ err: error }, 'clamd does not work; attachments stay quarantined'),
  })
}
