import type { InboxId } from '@mayfly/contract'
import { emailAddressText, readEmailAddress, withoutTag } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/open.ts'
import type { Recipient } from '../../store/tables/receiving.ts'
import type { RefusalLog, RefusalReply } from '../diagnostics/refusal-log.ts'
import type { RefusalReason } from '../diagnostics/refusal-reasons.ts'
import { hasRoom, INBOX_MESSAGES_MAX } from './capacity.ts'
import type { FloodDetector } from './flood.ts'

/** What admitting needs. */
export type AdmitDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly floods: FloodDetector
  readonly refusals: RefusalLog
  /** The operator's receiving domains, public and private. */
  readonly ourDomains: readonly string[]
  /** Address of the inbox for mail to postmaster and abuse. */
  readonly operatorAddress: string
}

/** A recipient for whom mail is accepted; `address` is as the client gave it. */
export type AdmittedRecipient = { readonly address: string; readonly inboxId: InboxId }

/** Whether mail for an address is accepted. */
export type AdmitResult =
  | { readonly state: 'accepted'; readonly recipient: AdmittedRecipient }
  | { readonly state: 'refused'; readonly why: RefusalReply }

/** Local parts that every mail domain of ours must accept (RFC 2142). */
const OPERATOR_ROLES: readonly string[] = ['postmaster', 'abuse']

/**
 * Accepts or refuses one recipient.
 *
 * The sender gets the same reply for an unknown, an expired and a suspended inbox; the reason is
 * recorded in the diagnostics of the inbox.
 */
export async function admitRecipient(
  deps: AdmitDeps,
  given: string,
  sender: { readonly mailFrom: string; readonly remoteAddress: string },
): Promise<AdmitResult> {
  const address = await inboxAddress(deps, given)
  if (address === null) return { state: 'refused', why: 'unknown' }
  const recipient = await deps.store.receiving.findRecipient(address)
  if (recipient === null) {
    await deps.refusals.addUnknown(address)
    return { state: 'refused', why: 'unknown' }
  }
  await suspendOnFlood(deps, recipient)
  const refusal = refusalOf(recipient, deps.clock.now())
  if (refusal === null) {
    return { state: 'accepted', recipient: { address: given, inboxId: recipient.inboxId } }
  }
  await deps.refusals.addRefusal({ inboxIds: [recipient.inboxId], ...refusal, sender })
  return { state: 'refused', why: refusal.reply }
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

function refusalOf(
  recipient: Recipient,
  now: number,
): { readonly reply: RefusalReply; readonly reason: RefusalReason } | null {
  const { expiresAt, messageCount } = recipient
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

async function suspendOnFlood(deps: AdmitDeps, recipient: Recipient): Promise<void> {
  const now = deps.clock.now()
  if (!deps.floods.count(recipient.inboxId, now)) return
  const reason = 'more than 5,000 mails within 10 minutes'
  if (await deps.store.receiving.suspend(recipient.inboxId, now, reason)) {
    await deps.refusals.addSuspension(recipient.inboxId, reason)
  }
}
