// Step 1 of a mail's path: whether mail from a sender, and for a recipient, is accepted.

import type { AccountId, InboxId, Limits, Plan } from '@mayfly/contract'
import { emailAddressText, readEmailAddress, withoutTag } from '@mayfly/mail'
import type { RefusalLog, RefusalReply } from '../features/diagnostics/refusal-log.ts'
import type { RefusalReason } from '../features/diagnostics/refusal-reasons.ts'
import type { Attempt } from '../features/faults/inject.ts'
import { keptUntil } from '../features/rules/plans.ts'
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../store/open.ts'
import type { Recipient } from '../store/tables/receiving.ts'
import { hasRoom, INBOX_MESSAGES_MAX } from './capacity.ts'

export type AdmitDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly refusals: RefusalLog
  /** The operator's receiving domains, public and private. */
  readonly ourDomains: readonly string[]
  /** Address of the inbox for mail to postmaster and abuse. */
  readonly operatorAddress: string
  /** The reply with which the fault rules of an inbox refuse a sender or a recipient, or null. */
  readonly injectFault: (attempt: Attempt) => Promise<string | null>
  /** Whether the account may store more mail. */
  readonly hasStorageQuota: (accountId: AccountId, plan: Plan) => Promise<boolean>
  /** The inbox that has an address, in any state. */
  readonly findRecipient: (address: string) => Promise<Recipient | null>
  readonly limitsOf: (plan: Plan) => Limits
  /** The catch-all inbox of an identity that `authenticateSender` returned. */
  readonly findSenderInbox: (identity: string) => Promise<Recipient | null>
  /** The catch-all inbox for mail without credentials to unknown addresses; null without one. */
  readonly catchAll: CatchAll | null
}

/** The catch-all inbox for mail without credentials. */
export type CatchAll = {
  readonly inboxId: InboxId
  readonly find: () => Promise<Recipient | null>
}

/** A recipient for whom mail is accepted. */
export type AdmittedRecipient = {
  /** As the client gave it. */
  readonly address: string
  readonly inboxId: InboxId
  readonly accountId: AccountId
  /** Whether the inbox may have rules that refuse the mail after its content. */
  readonly mayHaveFaults: boolean
  /** Whether the mail goes to a catch-all inbox, which shows all its recipients. */
  readonly isCatchAll: boolean
  /** Until when the inbox is kept, by its current plan. */
  readonly keptUntil: number
}

/** The facts of a mail's sender that decide what is accepted. */
export type Sender = {
  readonly mailFrom: string
  readonly remoteAddress: string
  readonly user: { readonly identity: string | null } | null
}

/** Whether mail for an address is accepted. */
export type AdmitResult =
  | { readonly state: 'accepted'; readonly recipient: AdmittedRecipient }
  | { readonly state: 'refused'; readonly why: RefusalReply }
  | { readonly state: 'refused'; readonly why: 'fault'; readonly reply: string }

/**
 * The reply with which the fault rules of an inbox refuse a sender at MAIL; null when none does.
 *
 * Only where the inbox is known before the recipient: by AUTH, or because mail without credentials
 * goes to one inbox. For all others `admitRecipient` uses these rules.
 */
export async function admitSender(
  deps: Pick<AdmitDeps, 'clock' | 'catchAll' | 'findSenderInbox' | 'injectFault'>,
  sender: Sender,
): Promise<string | null> {
  const identity = sender.user?.identity ?? null
  const inbox =
    identity === null ? await deps.catchAll?.find() : await deps.findSenderInbox(identity)
  if (inbox === undefined || inbox === null) return null
  if (inbox.faultsUntil <= deps.clock.now()) return null
  return deps.injectFault({ inboxId: inbox.inboxId, phases: ['sender'], sender })
}

/** Local parts that every mail domain of ours must accept (RFC 2142). */
const OPERATOR_ROLES: readonly string[] = ['postmaster', 'abuse']

/**
 * Accepts or refuses one recipient.
 *
 * A sender that has authenticated for a catch-all inbox reaches that one, whatever the recipient.
 * The sender gets the same reply for an unknown, an expired and a suspended inbox; the reason is
 * recorded in the diagnostics of the inbox.
 */
export async function admitRecipient(
  deps: AdmitDeps,
  given: string,
  sender: Sender,
): Promise<AdmitResult> {
  const identity = sender.user?.identity ?? null
  const recipient =
    identity === null ? await findRecipient(deps, given) : await deps.findSenderInbox(identity)
  if (recipient === null) return { state: 'refused', why: 'unknown' }
  if (recipient.isMoving) return { state: 'refused', why: 'unavailable' }
  const now = deps.clock.now()
  const refusal = refusalOf(recipient, now) ?? (await accountRefusal(deps, recipient))
  if (refusal === null) {
    const { inboxId, accountId, faultsUntil } = recipient
    const mayHaveFaults = faultsUntil > now
    // Otherwise `admitSender` used the rules for the sender.
    const isFirstKnown = identity === null && inboxId !== deps.catchAll?.inboxId
    const phases = isFirstKnown ? (['sender', 'recipient'] as const) : (['recipient'] as const)
    const reply = mayHaveFaults ? await deps.injectFault({ inboxId, phases, sender }) : null
    if (reply !== null) return { state: 'refused', why: 'fault', reply }
    const isCatchAll = recipient.keepMessages !== null
    const until = keptUntil(deps.limitsOf, recipient)
    const inbox = { inboxId, accountId, mayHaveFaults, isCatchAll, keptUntil: until }
    return { state: 'accepted', recipient: { address: given, ...inbox } }
  }
  await deps.refusals.addRefusal({ inboxIds: [recipient.inboxId], ...refusal, sender })
  return { state: 'refused', why: refusal.reply }
}

/** The inbox for an address. */
async function findRecipient(deps: AdmitDeps, given: string): Promise<Recipient | null> {
  const address = await inboxAddress(deps, given)
  const recipient = address === null ? null : await deps.findRecipient(address)
  if (recipient !== null) return recipient
  const catchAll = (await deps.catchAll?.find()) ?? null
  if (catchAll === null && address !== null) await deps.refusals.addUnknown(address)
  return catchAll
}

/** The address under which the inbox for `given` is stored; null for an invalid address. */
async function inboxAddress(deps: AdmitDeps, given: string): Promise<string | null> {
  if (OPERATOR_ROLES.includes(given.toLowerCase())) return deps.operatorAddress
  const parsed = readEmailAddress(given)
  if (parsed === null) return null
  const localPart = withoutTag(parsed.localPart)
  const { domain } = parsed
  if (OPERATOR_ROLES.includes(localPart) && (await isReceivingDomain(deps, domain))) {
    return deps.operatorAddress
  }
  return emailAddressText({ localPart, domain })
}

async function isReceivingDomain(deps: AdmitDeps, domain: string): Promise<boolean> {
  if (deps.ourDomains.includes(domain)) return true
  return (await deps.store.domains.findClaim(domain))?.state === 'active'
}

/** Why an inbox refuses a mail. */
export type InboxRefusal = { readonly reply: RefusalReply; readonly reason: RefusalReason }

/** Why the account of an inbox refuses every mail; null when it does not. */
export async function accountRefusal(
  deps: Pick<AdmitDeps, 'hasStorageQuota'>,
  recipient: Recipient,
): Promise<InboxRefusal | null> {
  if (await deps.hasStorageQuota(recipient.accountId, recipient.plan)) return null
  return { reply: 'full', reason: { code: 'account_limit_reached' } }
}

/** Why an inbox refuses every mail now; null when it does not. */
export function refusalOf(recipient: Recipient, now: number): InboxRefusal | null {
  const { messageCount } = recipient
  // The inboxes of a domain that is being removed expire one after the other.
  const expiresAt = recipient.isDomainRemoved
    ? Math.min(recipient.expiresAt, now)
    : recipient.expiresAt
  if (expiresAt <= now) {
    return { reply: 'unknown', reason: { code: 'inbox_expired', expiredAt: expiresAt } }
  }
  if (recipient.isSuspended) return { reply: 'unknown', reason: { code: 'inbox_suspended' } }
  if (hasRoom(recipient, 0)) return null
  return {
    reply: 'full',
    reason:
      messageCount >= INBOX_MESSAGES_MAX
        ? { code: 'message_limit_reached', messageCount }
        : { code: 'size_limit_reached' },
  }
}
