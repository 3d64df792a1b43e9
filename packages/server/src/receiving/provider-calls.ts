// Mail that a caller sends by a provider's HTTP API: to whom it goes, and its way into the store.
//
//   placed   Each of its recipients has an inbox. The mail is stored, or held until it is due.
//   loose    None has one, and none needs one: the addresses stand for a result.
//   refused  As the provider refuses an unverified sender or recipient.

import type { AccountId, InboxId, Limits, Plan, ProviderCall } from '@mayfly/contract'
import { emailAddressText, readEmailAddress, withoutTag } from '@mayfly/mail'
import type { ProviderAccess } from '../features/accounts/provider-access.ts'
import { reasonText } from '../features/diagnostics/refusal-reasons.ts'
import type { Attempt } from '../features/faults/inject.ts'
import { keptUntil } from '../features/rules/plans.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Store } from '../store/open.ts'
import type { StoredFaultRule } from '../store/tables/faults.ts'
import type { HeldKey, NewHeldMail } from '../store/tables/provider-mails.ts'
import type { Recipient } from '../store/tables/receiving.ts'
import { accountRefusal, type CatchAll, refusalOf } from './admit.ts'
import type { ReceiveDeps } from './receive.ts'
import type { MailToStore, ReceivedMail } from './received-mail.ts'

export type ProviderCallDeps = Pick<ReceiveDeps, 'composeLarge' | 'storeMail' | 'countStored'> & {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly limitsOf: (plan: Plan) => Limits
  readonly hasStorageQuota: (accountId: AccountId, plan: Plan) => Promise<boolean>
  /** The first rule of an inbox for the phase `api` that applies. */
  readonly useFault: (attempt: Attempt) => Promise<StoredFaultRule | null>
  /** The catch-all inbox for mail without credentials; null without one. */
  readonly catchAll: CatchAll | null
  readonly catchAllOwner: AccountId | null
  readonly announceInboxes: (inboxIds: readonly InboxId[]) => void
  /** Writes a mail that no inbox has yet; in another thread, for its bytes may be many. */
  readonly holdMail: (mail: NewHeldMail) => Promise<void>
  /** The bytes of such a mail, with another date. */
  readonly readHeldMail: (key: HeldKey, date: Date) => Promise<Uint8Array>
}

/** A mail that a call sends. */
export type CallMail = {
  readonly raw: Uint8Array
  readonly mailFrom: string
  readonly recipients: readonly string[]
  readonly subject: string
  readonly call: ProviderCall
  readonly unknownFields: readonly string[]
  /** Whether it is accepted without an inbox. */
  readonly mayBeLoose: boolean
  /** Scheduled mails of one batch are paused and canceled together. */
  readonly batch?: string | undefined
}

/** A recipient with its inbox. */
type Placed = {
  readonly address: string
  readonly inbox: Recipient
  readonly isCatchAll: boolean
}

/** Where a mail goes. */
export type Placement =
  | { readonly state: 'placed'; readonly recipients: readonly Placed[] }
  | { readonly state: 'loose' }
  | {
      readonly state: 'refused'
      readonly why: 'unverified' | 'full'
      readonly message: string
      /** The inboxes whose diagnostics show it. */
      readonly inboxIds: readonly InboxId[]
    }

/** Most scheduled mails of an account: each is kept whole. */
const SCHEDULED_MAX = 1_000

/** Finds the inboxes of mails; one placement a mail. */
export async function placeMails(
  deps: ProviderCallDeps,
  access: ProviderAccess,
  mails: readonly Pick<CallMail, 'recipients' | 'mayBeLoose'>[],
): Promise<readonly Placement[]> {
  const addresses = [...new Set(mails.flatMap(({ recipients }) => recipients))]
  const asked = addresses.map(inboxAddress)
  const found = await deps.store.receiving.listRecipients(asked)
  const { accountId } = access.caller
  const own = found.map((one) => (access.isOpen || one?.accountId === accountId ? one : null))
  const inboxes = new Map(addresses.map((address, i) => [address, own[i] ?? null]))
  const project = await findProject(deps, access)
  const placements: Placement[] = []
  for (const { recipients, mayBeLoose } of mails) {
    const place =
      access.inboxId === null
        ? placeByAddress(deps, recipients, { inboxes, project })
        : placeInNamed(deps, recipients, { inboxes, named: project })
    const isLoose = mayBeLoose && place.state === 'refused' && place.why === 'unverified'
    placements.push(isLoose ? { state: 'loose' } : await withQuota(deps, place))
  }
  return placements
}

/** The inbox that the key names, or else the one that takes what no inbox has. */
async function findProject(
  { store, clock, catchAll, catchAllOwner }: ProviderCallDeps,
  { caller, inboxId, isOpen }: ProviderAccess,
): Promise<Recipient | null> {
  if (inboxId !== null) return store.receiving.findInbox(inboxId)
  if (isOpen) return (await catchAll?.find()) ?? null
  const [oldest] = await store.inboxes.listProjects(caller.accountId, clock.now())
  if (oldest !== undefined) return store.receiving.findInbox(oldest.id)
  return caller.accountId === catchAllOwner ? ((await catchAll?.find()) ?? null) : null
}

type Known = { readonly inboxes: ReadonlyMap<string, Recipient | null> }

function placeByAddress(
  { clock }: ProviderCallDeps,
  recipients: readonly string[],
  { inboxes, project }: Known & { readonly project: Recipient | null },
): Placement {
  const placed: Placed[] = []
  for (const address of recipients) {
    const own = inboxes.get(address) ?? null
    const refusal = own === null ? null : refusalOf(own, clock.now())
    const inbox = own !== null && refusal === null ? own : project
    if (inbox !== null) {
      placed.push({ address, inbox, isCatchAll: inbox.keepMessages !== null })
      continue
    }
    if (own !== null && refusal !== null) return refusedBy(own, refusal)
    const message = `${address} is no inbox of the account of this key, and the account has no catch-all inbox. Send to an address of an inbox, or create a catch-all inbox (POST /v1/inboxes with catchAll: true).`
    return { state: 'refused', why: 'unverified', message, inboxIds: [] }
  }
  return orRefused(clock, placed)
}

function placeInNamed(
  { clock }: ProviderCallDeps,
  recipients: readonly string[],
  { inboxes, named }: Known & { readonly named: Recipient | null },
): Placement {
  if (named === null) {
    const message = 'The inbox that the key names was deleted.'
    return { state: 'refused', why: 'unverified', message, inboxIds: [] }
  }
  const isCatchAll = named.keepMessages !== null
  const own = recipients.filter(
    (address) => isCatchAll || inboxes.get(address)?.inboxId === named.inboxId,
  )
  if (own.length === 0) {
    const message = `The key names the inbox ${named.address}, which is not among the recipients. Send to this address, or name a catch-all inbox.`
    return { state: 'refused', why: 'unverified', message, inboxIds: [named.inboxId] }
  }
  return orRefused(
    clock,
    own.map((address) => ({ address, inbox: named, isCatchAll })),
  )
}

function orRefused(clock: Clock, recipients: readonly Placed[]): Placement {
  for (const { inbox } of recipients) {
    const refusal = refusalOf(inbox, clock.now())
    if (refusal !== null) return refusedBy(inbox, refusal)
  }
  return { state: 'placed', recipients }
}

async function withQuota(deps: ProviderCallDeps, placement: Placement): Promise<Placement> {
  const [first] = placement.state === 'placed' ? placement.recipients : []
  const refusal = first === undefined ? null : await accountRefusal(deps, first.inbox)
  return first === undefined || refusal === null ? placement : refusedBy(first.inbox, refusal)
}

function refusedBy(
  { inboxId, address }: Recipient,
  { reply, reason }: NonNullable<ReturnType<typeof refusalOf>>,
): Placement {
  const why = reply === 'full' ? 'full' : 'unverified'
  const message = `${address} takes no mail: ${reasonText(reason)}.`
  return { state: 'refused', why, message, inboxIds: [inboxId] }
}

/** The fault with which an inbox among these answers a call; null when none does. */
export async function callFault(
  deps: Pick<ProviderCallDeps, 'clock' | 'useFault'>,
  placements: readonly Placement[],
  sender: { readonly mailFrom: string; readonly remoteAddress: string; readonly call: string },
): Promise<StoredFaultRule | null> {
  const inboxes = new Map<InboxId, Recipient>()
  for (const placement of placements) {
    if (placement.state !== 'placed') continue
    for (const { inbox } of placement.recipients) inboxes.set(inbox.inboxId, inbox)
  }
  for (const { inboxId, faultsUntil } of inboxes.values()) {
    if (faultsUntil <= deps.clock.now()) continue
    const rule = await deps.useFault({ inboxId, phases: ['api'], sender })
    if (rule !== null) return rule
  }
  return null
}

/** What became of a placed mail. */
export type Taken = 'taken' | { readonly refused: string; readonly inboxIds: readonly InboxId[] }

/** Stores a mail that has a place, or keeps it until it is due. */
export async function takeMail(
  deps: ProviderCallDeps,
  { caller: { accountId } }: ProviderAccess,
  {
    mail,
    placement,
    remoteAddress,
  }: {
    readonly mail: CallMail
    readonly placement: Exclude<Placement, { state: 'refused' }>
    readonly remoteAddress: string
  },
): Promise<Taken> {
  const { call, unknownFields, mailFrom, subject, raw } = mail
  const placed = placement.state === 'loose' ? [] : placement.recipients
  const until = placed.map(({ inbox }) => keptUntil(deps.limitsOf, inbox))
  const mailId = deps.ids.mailId(Math.max(deps.clock.now(), ...until))
  const recipients = placed.map(({ address, inbox: { inboxId }, isCatchAll }) => ({
    ...{ address, inboxId, isCatchAll },
  }))
  if (call.scheduledAt === null && placed.length > 0) {
    const envelope = { mailFrom, remoteAddress }
    const received = receivedMail(deps, { ...mail, id: mailId, envelope, recipients })
    const taken = await storeNow(deps, received)
    if (taken === 'taken') deps.countStored(accountId, raw.length)
    return taken
  }
  const { scheduledAt } = call
  if (scheduledAt !== null) {
    const count = await deps.store.providers.mails.countScheduled(accountId)
    if (count >= SCHEDULED_MAX) {
      const refused = `An account may have ${SCHEDULED_MAX} scheduled mails. Cancel one.`
      return { refused, inboxIds: recipients.map(({ inboxId }) => inboxId) }
    }
  }
  await deps.holdMail({
    ...{ accountId, provider: call.name, id: call.id, raw, createdAt: deps.clock.now() },
    batch: mail.batch,
    state: scheduledAt === null ? 'accepted' : 'scheduled',
    dueAt: scheduledAt === null ? null : Date.parse(scheduledAt),
    mail: {
      ...{ mailId, mailFrom, remoteAddress, subject, recipients, call, unknownFields },
      addresses: mail.recipients,
    },
  })
  return 'taken'
}

async function storeNow(deps: ProviderCallDeps, received: ReceivedMail): Promise<Taken> {
  const composing = deps.composeLarge(null, received)
  const toStore: MailToStore = composing === null ? received : await composing
  const stored = await deps.storeMail(toStore)
  if (stored.state === 'stored') return 'taken'
  const inboxIds = received.recipients.map(({ inboxId }) => inboxId)
  return {
    refused:
      stored.state === 'full' ? 'The inbox has no room for this mail.' : 'The inbox was deleted.',
    inboxIds,
  }
}

function receivedMail(
  { clock }: Pick<ProviderCallDeps, 'clock'>,
  mail: Pick<CallMail, 'raw' | 'call' | 'unknownFields'> & {
    readonly id: string
    readonly recipients: ReceivedMail['recipients']
    readonly envelope: { readonly mailFrom: string; readonly remoteAddress: string }
  },
): ReceivedMail {
  const { id, recipients, raw, call, unknownFields, envelope } = mail
  return {
    ...{ id, recipients, receivedAt: clock.now(), transcript: [], protocol: null },
    envelope: { ...envelope, helo: null, tls: null, user: null },
    raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength),
    provider: { call, unknownFields },
  }
}

/** How long a node may take for a scheduled mail before another one tries it. */
const LEASE_MS = 60_000

/** Mails of one round. */
const DUE_MAX = 20

/** Stores scheduled mails that are due. Each once: a repeated try finds the mail by its id. */
export async function sendDueMails(deps: ProviderCallDeps): Promise<void> {
  const now = deps.clock.now()
  const lease = { now, leasedUntil: now + LEASE_MS, limit: DUE_MAX }
  const due = await deps.store.transaction((tx) => tx.providers.mails.claimDue(lease))
  for (const { mail, ...key } of due) {
    const { mailId: id, recipients, call, unknownFields } = mail
    const raw = await deps.readHeldMail(key, new Date(deps.clock.now()))
    const received = { id, recipients, raw, call, unknownFields, envelope: mail }
    const taken = await storeNow(deps, receivedMail(deps, received))
    if (taken === 'taken') await deps.store.providers.mails.remove(key)
    else {
      await deps.store.providers.mails.fail(key)
      const detail = `${call.name} ${call.operation}: the scheduled mail ${call.id} was not stored: ${taken.refused}`
      await recordCall(deps, taken.inboxIds, { stage: 'provider.refused', detail })
    }
  }
}

/** Records a refused call, or one without a mail, in the diagnostics of inboxes. */
export async function recordCall(
  {
    store,
    ids,
    clock,
    announceInboxes,
  }: Pick<ProviderCallDeps, 'store' | 'ids' | 'clock' | 'announceInboxes'>,
  inboxIds: readonly InboxId[],
  event: { readonly stage: 'provider.refused' | 'provider.accepted'; readonly detail: string },
): Promise<void> {
  const concerned = [...new Set(inboxIds)]
  if (concerned.length === 0) return
  const at = clock.now()
  const events = concerned.map((inboxId) => ({
    ...{ id: ids.next('diagnostic'), inboxId, at, ...event },
  }))
  await store.transaction((tx) => tx.diagnostics.add(events))
  announceInboxes(concerned)
}

/** The inboxes that a call concerns: those it names, or else the one that takes the rest. */
export async function concernedInboxes(
  deps: ProviderCallDeps,
  access: ProviderAccess,
  addresses: readonly string[],
): Promise<readonly InboxId[]> {
  if (access.inboxId !== null) return [access.inboxId]
  const found = await deps.store.receiving.listRecipients(addresses.map(inboxAddress))
  const own = found.filter((one) => one !== null)
  const mine = own.filter(({ accountId }) => accountId === access.caller.accountId)
  if (mine.length > 0) return mine.map(({ inboxId }) => inboxId)
  const project = await findProject(deps, access)
  return project === null ? [] : [project.inboxId]
}

/** The address under which an inbox would be stored; one that none has for an invalid address. */
function inboxAddress(address: string): string {
  const parsed = readEmailAddress(address)
  if (parsed === null) return ''
  return emailAddressText({ localPart: withoutTag(parsed.localPart), domain: parsed.domain })
}
