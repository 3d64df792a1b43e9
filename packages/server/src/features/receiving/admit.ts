import type { InboxId } from '@mayfly/contract'
import { emailAddressText, readEmailAddress, withoutTag } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/open.ts'
import type { Recipient } from '../../store/tables/arrivals.ts'
import { hasRoom, INBOX_MESSAGES_MAX } from './capacity.ts'
import type { FloodGuard } from './flood.ts'
import type { RefusalLog, RefusedWhy } from './refusals.ts'

/** What admitting needs. */
export type AdmitDeps = {
  readonly store: Tables
  readonly clock: Clock
  readonly floods: FloodGuard
  readonly refusals: RefusalLog
  /** Address of the inbox that the operator's mail goes to. */
  readonly operatorAddress: string
}

/** A recipient for whom mail is taken. */
export type Admitted = { readonly address: string; readonly inboxId: InboxId }

/** Whether mail for an address is taken. */
export type Admission =
  | { readonly state: 'accepted'; readonly recipient: Admitted }
  | { readonly state: 'refused'; readonly why: RefusedWhy }

/** Roles that every mail domain must answer for (RFC 2142). */
const OPERATOR_ROLES: readonly string[] = ['postmaster', 'abuse']

/**
 * Decides on one recipient.
 *
 * A sender learns only that there is no such address; why, the owner's diagnostics tell.
 */
export async function admitRecipient(
  deps: AdmitDeps,
  given: string,
  sender: { readonly mailFrom: string; readonly remoteAddress: string },
): Promise<Admission> {
  const address = inboxAddress(given, deps.operatorAddress)
  if (address === null) return { state: 'refused', why: 'unknown' }
  const recipient = await deps.store.arrivals.findRecipient(address)
  if (recipient === null) {
    await deps.refusals.noteUnknown(address, sender)
    return { state: 'refused', why: 'unknown' }
  }
  await guardAgainstFlood(deps, recipient)
  const refusal = refusalOf(recipient, deps.clock.now())
  if (refusal === null) {
    return { state: 'accepted', recipient: { address: given, inboxId: recipient.inboxId } }
  }
  await deps.refusals.note({ inboxIds: [recipient.inboxId], ...refusal, sender })
  return { state: 'refused', why: refusal.why }
}

/** The address of the inbox that mail for `given` belongs to; null when it names none. */
export function inboxAddress(given: string, operatorAddress: string): string | null {
  if (OPERATOR_ROLES.includes(given.toLowerCase())) return operatorAddress
  const parsed = readEmailAddress(given)
  if (parsed === null) return null
  const localPart = withoutTag(parsed.localPart)
  if (OPERATOR_ROLES.includes(localPart)) return operatorAddress
  return emailAddressText({ localPart, domain: parsed.domain })
}

function refusalOf(
  recipient: Recipient,
  now: number,
): { readonly why: RefusedWhy; readonly reason: string } | null {
  if (recipient.expiresAt <= now) {
    const at = new Date(recipient.expiresAt).toISOString()
    return { why: 'unknown', reason: `the inbox had expired at ${at}` }
  }
  if (recipient.isSuspended) return { why: 'unknown', reason: 'the inbox is suspended' }
  if (!hasRoom(recipient, 0)) {
    const full =
      recipient.messageCount >= INBOX_MESSAGES_MAX
        ? `the inbox holds ${recipient.messageCount} messages, its most`
        : 'the inbox holds 250 MiB, its most'
    return { why: 'full', reason: full }
  }
  return null
}

async function guardAgainstFlood(deps: AdmitDeps, recipient: Recipient): Promise<void> {
  const now = deps.clock.now()
  if (!deps.floods.note(recipient.inboxId, now)) return
  const reason = 'more than 5,000 mails within 10 minutes'
  if (await deps.store.arrivals.suspend(recipient.inboxId, now, reason)) {
    await deps.refusals.noteSuspended(recipient.inboxId, reason)
  }
}
