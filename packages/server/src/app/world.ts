// The parts of a running service. A feature declares the parts that it needs as its `…Deps`; parts
// made of other parts, and features that others need, are added here, stage by stage.

import type { AccountId, Limits, MessageAuth, Plan, ServiceDescription } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { authenticate } from '../features/accounts/authenticate.ts'
import type { AssertionResult } from '../features/assertions/evaluate.ts'
import { type FetchLink, LinkFetches } from '../features/assertions/link-fetches.ts'
import { runAssertions } from '../features/assertions/run.ts'
import { explainWait } from '../features/diagnostics/diagnose.ts'
import type { SmtpClients } from '../features/diagnostics/smtp-clients.ts'
import type { DomainRecords } from '../features/domains/records.ts'
import { readFaults, setFaults } from '../features/faults/rules.ts'
import type { Readiness } from '../features/health/readiness.ts'
import { takeStreamSlot } from '../features/limits/stream-slots.ts'
import { usageToday } from '../features/limits/usage.ts'
import { takeWaitSlot } from '../features/limits/wait-slots.ts'
import { getAttachment, readRaw } from '../features/messages/bytes.ts'
import { markMessages, removeMessages } from '../features/messages/change.ts'
import { writeMessage } from '../features/messages/read.ts'
import type { FetchFilesDeps } from '../features/providers/fetch-files.ts'
import { createPurging } from '../features/retention/purge.ts'
import type { MailToCheck } from '../features/sender-checks/queue.ts'
import { pollUntil } from '../features/waiting/poll-until.ts'
import { SingleFlight } from '../features/waiting/single-flight.ts'
import { findWithin } from '../features/waiting/wait.ts'
import { whileAuthorised } from '../features/waiting/while-authorised.ts'
import { type Clock, elapsedMs } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { createMailSender } from '../platform/outbound/send-mail.ts'
import type { Signals } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { bindAll } from './bind.ts'
import type { Content } from './content.ts'
import type { Dispatching } from './dispatching.ts'
import type { RunningEvents } from './events.ts'
import { identityProviders } from './identity-providers.ts'
import { keySearch } from './key-search.ts'
import type { RunningLimits } from './limits.ts'
import type { ProviderMail } from './provider-mail.ts'
import type { RunningWaits } from './waiting.ts'

/** The parts that all others use. */
export type Shared = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  /** Of a clock that a test sets (`clockIn`), in all threads; null for a real one. */
  readonly clockMemory: SharedArrayBuffer | null
  readonly ids: Ids
  readonly store: Store
  readonly signals: Signals
  /** Identifies this node in its announcements. */
  readonly signalsName: string
  /** The name that the MX of a custom domain must point to. */
  readonly mailHost: string
  readonly limitsOf: (plan: Plan) => Limits
}

/** The parts that are started for the features. */
export type Parts = Shared &
  Omit<RunningLimits & RunningWaits & RunningEvents & Dispatching, 'stop'> &
  SmtpClients & {
    /** Called when a mail is read before its sender was checked: the check is due now. */
    readonly onFirstRead: (mail: MailToCheck) => void
    /** A search found that there are messages to be added to the index. */
    readonly onUnindexed: () => void
    readonly content: Content
    readonly providerMail: ProviderMail
    readonly dns: DomainRecords
    readonly fetchLink: FetchLink
    readonly outboundRequest: FetchFilesDeps['outboundRequest']
    readonly baseUrl: () => string
    readonly smtpAddress: () => string
    /** The account of the user of this machine; null without one. */
    readonly localAccount: AccountId | null
    /** The account whose catch-all inbox gets mail without credentials; null without one. */
    readonly catchAllOwner: AccountId | null
    readonly readiness: Readiness
    /** The response of GET /v1/service. */
    readonly describe: () => ServiceDescription
  }

/** Everything that features can need. */
export type World = ReturnType<typeof createWorld>

/** Completes the parts of a service for its features. */
export function createWorld(parts: Parts) {
  // Parts made of other parts.
  const base = {
    ...parts,
    publish: (signal: Parameters<Parts['publish']>[0]) => {
      parts.publish(signal)
      // Waits may be for messages with a mark or a tag.
      if (signal.about !== 'messages') return
      const isDeletion = signal.change === 'deleted' || signal.change === 'emptied'
      if (!isDeletion) parts.announce([signal.inboxId])
    },
    ...settings(parts.config),
    ...parts.providerMail,
    ...keySearch(parts.store, parts.clock, parts.config.MAYFLY_CELL),
    ...createPurging(parts.store, parts.content),
    singleFlight: new SingleFlight(),
    linkFetches: new LinkFetches(parts),
    sendMail: createMailSender(parts.mailHost),
    startedAt: parts.clock.now(),
    elapsedMs,
  }
  // Features that other features need.
  const needed = {
    ...base,
    ...bindAll(base, { authenticate, usageToday, takeWaitSlot, explainWait, findWithin }),
    ...bindAll(base, { writeMessage, readRaw, getAttachment, markMessages, removeMessages }),
    ...bindAll(base, { readFaults, setFaults, pollUntil: pollUntil<MessageAuth | 'deleted'> }),
    ...bindAll(base, { whileAuthorised: whileAuthorised<AssertionResult[]> }),
  }
  // Those that need one of the former.
  return { ...needed, ...bindAll(needed, { takeStreamSlot, runAssertions }) }
}

/** The settings that features use unchanged. */
function settings(config: Config) {
  return {
    domains: { public: config.MAYFLY_DOMAINS, private: config.MAYFLY_PRIVATE_DOMAINS },
    defaultPlan: config.MAYFLY_DEFAULT_PLAN,
    registrationsPerHour: config.MAYFLY_REGISTRATIONS_PER_HOUR,
    providers: identityProviders(config),
    isScanned: config.MAYFLY_CLAMD !== null,
    messageBytesMax: config.MAYFLY_SMTP_MAX_MESSAGE_BYTES,
    releaseHosts: config.MAYFLY_RELEASE_HOSTS,
  }
}
