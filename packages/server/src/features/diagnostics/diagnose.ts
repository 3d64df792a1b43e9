import type {
  AccountId,
  Diagnostics,
  Inbox,
  InboxId,
  MessageId,
  WaitDiagnostics,
} from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FailedHandshakes, RefusedCommand } from '../../signals/thread-signals.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { OperatorDomains } from '../inboxes/choose-domain.ts'
import { throwNotFound } from '../rules/not-found.ts'
import type { WaitFilter } from '../waiting/match.ts'
import { nextSteps } from './next-steps.ts'
import { EVENTS_MAX, timeline } from './timeline.ts'
import { withoutOtherRecipients } from './transcript.ts'

export type DiagnoseDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly domains: OperatorDomains
  readonly mailHost: string
  readonly smtpAddress: () => string
  readonly startedAt: number
  readonly lastConnectionAt: () => number | null
  /** TLS handshakes of mail clients that failed. */
  readonly failedHandshakes: () => FailedHandshakes | null
  /** The last refused command that concerns no inbox. */
  readonly refusedCommand: () => RefusedCommand | null
  /** The account of the user of this machine; null without one. */
  readonly localAccount: AccountId | null
  /** Functions that run in another thread. */
  readonly content: {
    /** The newest messages, and why each does not match a wait. */
    readonly explainMismatches: (
      owner: AccountId,
      wait: WaitToExplain,
    ) => Promise<WaitDiagnostics['considered']>
  }
}

/** A wait that ended without a match. */
type WaitToExplain = { readonly inboxId: InboxId; readonly filter: WaitFilter }

/** Messages that the timeline covers: up to three events each. */
const TRACES_MAX = 200

/** What happened in an inbox, and what to do about a missing mail. */
export async function diagnose(
  deps: DiagnoseDeps,
  caller: Caller,
  inboxId: InboxId,
): Promise<Diagnostics> {
  const now = deps.clock.now()
  const inbox = await deps.store.inboxes.find(caller.accountId, inboxId, now)
  if (inbox === null) throw new ServiceError('inbox_not_found')
  const stored = await deps.store.diagnostics.list(inboxId, EVENTS_MAX)
  const events = timeline({
    inbox,
    now,
    stored,
    traces: await deps.store.messages.listTraces(caller.accountId, inboxId, TRACES_MAX),
    attempts: await deps.store.deliveries.listAttemptsOfInbox(inboxId, EVENTS_MAX),
  })
  const domain = await domainOf(deps, caller, inbox)
  // The intended recipient is unknown; only the user of this machine may see the sender.
  const isLocal = caller.accountId === deps.localAccount
  return {
    state: inbox.state,
    events,
    domain,
    nextSteps: nextSteps({
      inbox,
      events,
      stored,
      domain,
      now,
      mailHost: deps.mailHost,
      smtpAddress: deps.smtpAddress(),
      startedAt: deps.startedAt,
      lastConnectionAt: deps.lastConnectionAt(),
      failedHandshakes: isLocal ? deps.failedHandshakes() : null,
      refusedCommand: isLocal ? deps.refusedCommand() : null,
    }),
  }
}

/** The same for a wait that ended without a match, with the messages that did not match. */
export async function explainWait(
  deps: DiagnoseDeps,
  caller: Caller,
  { inboxId, filter }: WaitToExplain,
): Promise<WaitDiagnostics> {
  const diagnostics = await diagnose(deps, caller, inboxId)
  const { explainMismatches } = deps.content
  const considered = await explainMismatches(caller.accountId, { inboxId, filter })
  return {
    ...diagnostics,
    considered,
    nextSteps: [...considered.slice(0, 1).map(consideredStep), ...diagnostics.nextSteps],
  }
}

/** The SMTP dialogue in which a message was received, without its other recipients. */
export async function readTranscript(
  deps: Pick<DiagnoseDeps, 'store' | 'clock'>,
  caller: Caller,
  ref: { readonly inboxId: InboxId; readonly messageId: MessageId },
): Promise<string[]> {
  const { accountId } = caller
  const stored = await deps.store.messages.findTranscript(accountId, ref.inboxId, ref.messageId)
  if (stored !== null) return withoutOtherRecipients(stored)
  return throwNotFound(deps, caller, ref)
}

async function domainOf(deps: DiagnoseDeps, caller: Caller, inbox: Inbox) {
  const domain = inbox.emailAddress.slice(inbox.emailAddress.lastIndexOf('@') + 1)
  const { domains } = deps
  if ([...domains.public, ...domains.private].includes(domain)) return { domain, status: 'active' }
  const claim = await deps.store.domains.findClaim(domain)
  // Another account may have claimed the domain since.
  return { domain, status: claim?.accountId === caller.accountId ? claim.state : 'unknown' }
}

function consideredStep(newest: WaitDiagnostics['considered'][number]): string {
  const subject = newest.subject === null ? 'A message without subject' : `"${newest.subject}"`
  return `${subject} arrived, but did not match: ${newest.reason}.`
}
