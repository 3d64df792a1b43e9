// Mail that is sent by providers' APIs, on the API's thread: what of it is placed, kept and stored.

import type { AccountId } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { type Attempt, useFirstRule } from '../features/faults/inject.ts'
import { STORED_BYTES_MAX } from '../features/rules/plans.ts'
import { runEvery } from '../platform/background.ts'
import { elapsedMs } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { catchAllOf } from '../receiving/catch-all-inbox.ts'
import { MailStoring, type StoreBatch } from '../receiving/mail-storing.ts'
import { type ProviderCallDeps, sendDueMails } from '../receiving/provider-calls.ts'
import { StorageQuota } from '../receiving/storage-quota.ts'
import type { Signals } from '../signals/thread-signals.ts'

/** The parts that features need for this mail. */
export type ProviderMail = Omit<
  ProviderCallDeps,
  'store' | 'clock' | 'ids' | 'limitsOf' | 'catchAllOwner'
>

/** How often scheduled mails that are due are looked for. */
const DUE_MS = 1_000

/** Of one transaction, in the thread that stores them. */
const BATCH_MAX = { mails: 200, bytes: 1024 * 1024 }

/** How long a transaction on PostgreSQL whose COMMIT got no response is run again. */
const UNCERTAIN_MS_MAX = 20_000

type Given = Pick<ProviderCallDeps, 'store' | 'clock' | 'ids' | 'limitsOf'> &
  Pick<ProviderCallDeps, 'composeLarge' | 'holdMail' | 'readHeldMail'> & {
    readonly config: Config
    readonly log: Log
    readonly signals: Pick<Signals, 'announce'>
    readonly catchAllOwner: AccountId | null
    readonly storeBatch: StoreBatch
  }

/** Starts to send scheduled mail. */
export function startProviderMail(given: Given): ProviderMail & { stop(): Promise<void> } {
  const { store, clock, ids, log, signals, config, catchAllOwner, composeLarge, storeBatch } = given
  const mails = new MailStoring({
    ...{ log, storeBatch, ping: () => store.ping(), batchMax: BATCH_MAX },
    uncertainMsMax: store.isShared ? UNCERTAIN_MS_MAX : 0,
  })
  const quota = new StorageQuota({
    storedBytesMax: (plan) => STORED_BYTES_MAX[plan],
    sumBytes: (accountId) => store.receiving.sumBytes(accountId),
    elapsedMs,
  })
  const announceInboxes: ProviderCallDeps['announceInboxes'] = (inboxIds) =>
    signals.announce({ name: 'inboxesChanged', inboxIds })
  const faults = {
    ...{ store, clock, announce: announceInboxes },
    newDiagnosticId: () => ids.next('diagnostic'),
    fraction: () => ids.fraction(),
  }
  const domain = config.MAYFLY_DOMAINS[0] ?? ''
  const parts: ProviderMail = {
    composeLarge,
    announceInboxes,
    holdMail: given.holdMail,
    readHeldMail: given.readHeldMail,
    storeMail: (mail) => mails.store(mail),
    countStored: (accountId, bytes) => quota.add(accountId, bytes),
    hasStorageQuota: (accountId, plan) => quota.hasRoom(accountId, plan),
    useFault: (attempt: Attempt) => useFirstRule(faults, attempt),
    catchAll:
      catchAllOwner === null
        ? null
        : catchAllOf({ store, clock, ids }, { owner: catchAllOwner, domain }),
  }
  const deps = { ...parts, store, clock, ids, limitsOf: given.limitsOf, catchAllOwner }
  const sending = runEvery(DUE_MS, { name: 'sending scheduled mail', log }, async () => {
    if (await store.providers.mails.hasDue(clock.now())) await sendDueMails(deps)
  })
  return {
    ...parts,
    stop: async () => {
      await sending.stop()
      await mails.stop()
    },
  }
}
