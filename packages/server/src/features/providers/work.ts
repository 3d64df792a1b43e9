// What calls of providers' APIs read and write beside their mails. They run in a thread of their
// own.

import type { AccountId, InboxId, ProviderCall } from '@mayfly/contract'
import { parseMail } from '@mayfly/mail'
import type { Clock } from '../../platform/clock.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Store } from '../../store/open.ts'
import type { StoredMessage } from '../../store/tables/full-message.ts'
import type { BatchState, StoredHeldMail } from '../../store/tables/provider-mails.ts'
import type { StoredTemplate } from '../../store/tables/provider-templates.ts'
import { type Claim, claimOnce } from './claim-once.ts'

export type ProviderWorkDeps = { readonly store: Store; readonly clock: Clock; readonly ids: Ids }

/** A mail that was sent by an API, as later calls show it. */
type FoundMail = Pick<
  StoredMessage,
  'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'text' | 'html' | 'headers' | 'recipients'
> & {
  readonly state: 'sent' | StoredHeldMail['state']
  /** ISO 8601. */
  readonly createdAt: string
  readonly call: ProviderCall
  readonly attachments: readonly Pick<
    StoredMessage['attachments'][number],
    'filename' | 'contentType' | 'contentId' | 'sizeBytes' | 'inline'
  >[]
  readonly readRaw: () => Promise<Uint8Array>
}

/** The functions, for the account of a call at its provider. */
export type ProviderWork = {
  /** A new random text of letters and digits. */
  token(): string
  uuid(): string
  readonly templates: {
    find(name: string): Promise<StoredTemplate | null>
    list(): Promise<readonly StoredTemplate[]>
    /** False when the account has as many as it may. */
    put(template: StoredTemplate): Promise<boolean>
    remove(id: string): Promise<boolean>
  }
  readonly mails: {
    find(id: string): Promise<FoundMail | null>
    /** The newest, without those that no inbox has. */
    list(limit: number): Promise<readonly FoundMail[]>
    /** Null cancels. False when it is no longer scheduled. */
    reschedule(id: string, dueAt: number | null): Promise<boolean>
    /** The batches of scheduled mails; several mails may have the same one. */
    listBatches(): Promise<readonly { readonly batch: string; readonly state: BatchState }[]>
    changeBatch(batch: string, state: BatchState): Promise<void>
  }
  /** Claims a key for a call, or reports what an earlier call with it has become. */
  claimOnce(key: string, body: Uint8Array): Promise<Claim>
}

/** Templates of an account, at all providers. */
const TEMPLATES_MAX = 1_000

/** The functions for one call. */
export function createProviderWork(
  deps: ProviderWorkDeps,
  owner: AccountId,
  name: ProviderCall['name'],
): ProviderWork {
  const { store, clock, ids } = deps
  return {
    token: () => ids.secret(),
    uuid: () => uuidOf(ids.randomBytes(16)),
    templates: {
      find: (id) => store.providers.templates.find(owner, name, id),
      list: () => store.providers.templates.list(owner, name, TEMPLATES_MAX),
      put: async (template) => {
        const known = await store.providers.templates.find(owner, name, template.id)
        const isFull =
          known === null && (await store.providers.templates.count(owner)) >= TEMPLATES_MAX
        if (!isFull) await store.providers.templates.put(owner, name, template)
        return !isFull
      },
      remove: (id) => store.providers.templates.remove(owner, name, id),
    },
    mails: {
      find: async (id) => {
        const ref = await store.messages.findByProvider(owner, { name, id })
        if (ref !== null) return findSent(deps, owner, ref)
        const held = await store.providers.mails.find(owner, { provider: name, id })
        return held === null ? null : heldMail(deps, held)
      },
      list: async (limit) => {
        const refs = await store.messages.listByProvider(owner, name, limit)
        const found = await Promise.all(refs.map((ref) => findSent(deps, owner, ref)))
        return found.filter((mail) => mail !== null)
      },
      reschedule: (id, dueAt) =>
        store.providers.mails.reschedule(owner, { provider: name, id, dueAt, now: clock.now() }),
      listBatches: () => store.providers.mails.listBatches(owner, { provider: name }),
      changeBatch: (batch, state) =>
        store.providers.mails.changeBatch(owner, {
          ...{ provider: name, batch, state, now: clock.now() },
        }),
    },
    claimOnce: (key, body) => claimOnce(deps, owner, { key: `${name} ${key}`, body }),
  }
}

async function findSent(
  { store }: ProviderWorkDeps,
  owner: AccountId,
  ref: { readonly inboxId: InboxId; readonly messageId: StoredMessage['id'] },
): Promise<FoundMail | null> {
  const message = await store.messages.find(owner, ref.inboxId, ref.messageId)
  if (message === null || message.provider === null) return null
  const { mailId, provider: call, receivedAt: createdAt } = message
  return { ...message, state: 'sent', createdAt, call, readRaw: () => rawOf(store, mailId) }
}

async function rawOf({ mails }: Store, mailId: string): Promise<Uint8Array> {
  const raw = await mails.findRaw(mailId)
  if (raw === null) return new Uint8Array()
  const { zstdDecompressSync } = await import('node:zlib')
  return raw.encoding === 'zstd' ? zstdDecompressSync(raw.bytes) : raw.bytes
}

async function heldMail({ store }: ProviderWorkDeps, held: StoredHeldMail): Promise<FoundMail> {
  const { state, createdAt, mail } = held
  const raw = await store.providers.mails.findRaw(held)
  const parsed = parseMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength))
  const { from, to, cc, replyTo, subject, text, html, headers } = parsed
  return {
    ...{ state, from, to: [...to], cc: [...cc], replyTo: [...replyTo], subject, text, html },
    headers: [...headers],
    createdAt: new Date(createdAt).toISOString(),
    call: { ...mail.call, scheduledAt: scheduledText(held) },
    recipients: [...mail.addresses],
    attachments: parsed.attachments.map((one) => ({ ...one, sizeBytes: one.bytes.length })),
    readRaw: async () => raw,
  }
}

function scheduledText({ dueAt, mail }: StoredHeldMail): string | null {
  return dueAt === null ? mail.call.scheduledAt : new Date(dueAt).toISOString()
}

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) % 4)).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
