import type { AccountId, InboxId, Plan } from '@mayfly/contract'
import { emailAddressText, readEmailAddress, withoutTag } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/open.ts'
import type { Recipient } from '../../store/tables/receiving.ts'
import type { RefusalLog, RefusalReply } from '../diagnostics/refusal-log.ts'
import type { RefusalReason } from '../diagnostics/refusal-reasons.ts'
import { hasRoom, INBOX_MESSAGES_MAX, isFarFromFull } from './capacity.ts'

/** What admitting needs. */
export type AdmitDeps = {
  readonly store: Store
  readonly clock: Clock
  readonly refusals: RefusalLog
  /** The operator's receiving domains, public and private. */
  readonly ourDomains: readonly string[]
  /** Address of the inbox for mail to postmaster and abuse. */
  readonly operatorAddress: string
  /** The reply with which the fault rules of an inbox refuse a recipient, or null. */
  readonly injectFault: (attempt: {
    readonly inboxId: InboxId
    readonly phases: readonly ['sender', 'recipient'] | readonly ['recipient']
    readonly sender: { readonly mailFrom: string; readonly remoteAddress: string }
  }) => Promise<string | null>
  /** Whether the account may store more mail. */
  readonly hasAccountRoom: (accountId: AccountId, plan: Plan) => Promise<boolean>
  /** The inbox that has an address, in any state. */
  readonly findRecipient: (address: string) => Promise<Recipient | null>
  /** Until when an inbox of a plan is kept. */
  readonly keptUntil: (inbox: Pick<Recipient, 'expiresAt' | 'plan'>) => number
  /** The project inbox of an identity that `authenticateSender` returned. */
  readonly findSenderInbox: (identity: string) => Promise<Recipient | null>
  /** The project inbox for mail without credentials to unknown addresses; null without one. */
  readonly catchAll: CatchAll | null
}

/** The project inbox for mail without credentials. */
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
  /** Whether the mail goes to a project inbox, which shows all its recipients. */
  readonly isCaught: boolean
  /** Whether the mail has room in its inbox, whatever else arrives in the next moments. */
  readonly hasAmpleRoom: boolean
  /** Until when the inbox is kept, as far as is known now. */
  readonly keptUntil: number
}

/** The sender of a mail, as far as it decides what is accepted. */
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

/** Local parts that every mail domain of ours must accept (RFC 2142). */
const OPERATOR_ROLES: readonly string[] = ['postmaster', 'abuse']

/**
 * Accepts or refuses one recipient.
 *
 * A sender that has authenticated for a project inbox reaches that one, whatever the recipient.
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
    const isCaught = recipient.keepMessages !== null
    const keptUntil = deps.keptUntil(recipient)
    const inbox = { inboxId, accountId, mayHaveFaults, isCaught, keptUntil }
    const hasAmpleRoom = isFarFromFull(recipient)
    return { state: 'accepted', recipient: { address: given, ...inbox, hasAmpleRoom } }
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

/** The address under which the inbox for `given` is stored; null when it is not an address. */
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

type Refusal = { readonly reply: RefusalReply; readonly reason: RefusalReason }

async function accountRefusal(deps: AdmitDeps, recipient: Recipient): Promise<Refusal | null> {
  if (await deps.hasAccountRoom(recipient.accountId, recipient.plan)) return null
  return { reply: 'full', reason: { code: 'account_limit_reached' } }
}

function refusalOf(recipient: Recipient, now: number): Refusal | null {
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
