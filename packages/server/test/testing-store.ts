import { afterEach } from 'node:test'
import type {
  AccountId,
  AttachmentId,
  EventId,
  InboxId,
  MessageId,
  WebhookId,
} from '@mayfly/contract'
import { DAY_MS } from '../src/mail-id.ts'
import { createIds } from '../src/platform/ids.ts'
import { openStore, type Store } from '../src/store/open.ts'
import type { NewMail } from '../src/store/tables/mails.ts'
import { type DatabaseName, onEachDatabase } from './testing-databases.ts'
import { until } from './testing-until.ts'

/** The instant at which store tests take place. */
export const NOW = Date.UTC(2026, 0, 31, 12)

/** Two accounts that every opened test store has. */
export const ALICE = 'acc_alice' as AccountId // A brand by hand: tests need fixed ids.
/** The other one. */
export const BOB = 'acc_bob' as AccountId // As above.

const ids = createIds({ now: () => NOW })

/** Runs a suite of store tests on each database; `open` gives a test a store of its own. */
export function describeEachDatabase(
  name: string,
  suite: (open: () => Promise<Store>, database: DatabaseName) => void,
): void {
  onEachDatabase(name, (create, database) => {
    const opened: AsyncDisposable[] = []
    afterEach(async () => {
      for (const resource of opened.splice(0).reverse()) await resource[Symbol.asyncDispose]()
    })
    suite(async () => {
      // Without tables of days: statements take longer to plan when there are some.
      const database = await create('mayfly_schema')
      opened.push(database)
      const store = await openStore({ url: database.url, exclusive: false, isMigrated: true })
      opened.push({ [Symbol.asyncDispose]: () => store.close() })
      for (const id of [ALICE, BOB]) {
        const email = `${id}@example.com`
        await store.accounts.add({ id, email, name: null, plan: 'unlimited', createdAt: NOW })
      }
      return store
    }, database)
  })
}

/** Resolves when a transaction waits for a lock of another one. On PostgreSQL. */
export async function untilLockWait(store: Store): Promise<void> {
  const waiting = `select 1 / count(*) from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`
  await until(() =>
    store.execute(waiting).then(
      () => true,
      (error: unknown) => {
        if (!String(error).includes('division by zero')) throw error
        return null
      },
    ),
  )
}

/** An inbox in the store, for whoever owns it. */
export async function givenInbox(
  store: Store,
  about: { owner: AccountId; address?: string; expiresAt?: number; keepMessages?: number },
): Promise<{ id: InboxId; address: string }> {
  const id = ids.next('inbox')
  const address = about.address ?? `${ids.localPart()}@mayfly.test`
  const expiresAt = about.expiresAt ?? NOW + 3_600_000
  await store.addresses.claim(about.owner, {
    address,
    inboxId: id,
    occupiedUntil: expiresAt,
    now: NOW,
  })
  await store.inboxes.add(about.owner, {
    id,
    address,
    domain: address.split('@')[1] ?? '',
    environment: 'live',
    createdAt: NOW,
    expiresAt,
    keepMessages: about.keepMessages ?? null,
  })
  return { id, address }
}

/** A refusal in the diagnostics of an inbox, with an id of its time. */
export async function givenRefusal(
  store: Store,
  inboxId: InboxId,
  { at, detail }: { readonly at: number; readonly detail: string },
): Promise<void> {
  const id = createIds({ now: () => at }).next('diagnostic')
  const event = { id, inboxId, at, detail, stage: 'smtp.refused', reason: 'too_large' } as const
  await store.transaction((tx) => tx.diagnostics.add([event]))
}

/** When the mails of test stores are to be purged, unless a test says otherwise. */
const KEPT_UNTIL = NOW + 181 * DAY_MS

/** A small mail, not stored yet. */
export function newMail(receivedAt = NOW, keptUntil = KEPT_UNTIL): NewMail {
  return {
    id: ids.mailId(keptUntil),
    receivedAt,
    sender: { mailFrom: '', remoteAddress: '', tls: null },
    from: { name: null, address: 'a@b.example' },
    subject: null,
    preview: null,
    text: 'hello',
    html: null,
    otp: null,
    content: JSON.stringify({
      to: [],
      cc: [],
      replyTo: [],
      sentAt: null,
      links: [],
      headers: [],
      defects: [],
      envelope: { mailFrom: '', remoteAddress: '', helo: '', tls: null },
    }),
    transcript: '',
    raw: { encoding: 'identity', bytes: Buffer.from('hello') },
    sizeBytes: 5,
    attachments: [],
    tags: null,
  }
}

/** A mail in an inbox, stored as receiving does, but not announced. */
export async function givenMail(
  store: Store,
  inboxId: InboxId,
  changes: Partial<Pick<NewMail, 'text' | 'attachments'>> = {},
): Promise<{ mailId: string; messageId: MessageId }> {
  const mail = { ...newMail(), ...changes }
  const messageId = ids.next('message')
  await store.transaction(async (tx) => {
    const [inbox] = await tx.receiving.lockInboxes([inboxId])
    if (inbox === undefined) throw new Error('no inbox')
    const sequence = inbox.lastSequence + 1
    await tx.mails.add([mail], [{ id: messageId, inboxId, recipient: '', sequence, mail }])
    await tx.receiving.setUsage([{ ...inbox, lastSequence: sequence }])
  })
  return { mailId: mail.id, messageId }
}

/** A mail with attachments of five bytes that wait for the scanner. */
export async function givenUnscanned(
  store: Store,
  inboxId: InboxId,
  count = 1,
): Promise<{ mailId: string; messageId: MessageId; attachmentIds: readonly AttachmentId[] }> {
  const attachments = Array.from({ length: count }, () => ({
    ...{ id: ids.next('attachment'), filename: 'a.txt', contentType: 'text/plain' },
    ...{ contentId: null, inline: false, sizeBytes: 5, sha256: '', reason: null },
    ...({ status: 'quarantined', heldFor: 'scan' } as const),
    ...({ bodyStart: 0, bodyEnd: 5, bodyEncoding: 'identity' } as const),
  }))
  const mail = await givenMail(store, inboxId, { attachments })
  return { ...mail, attachmentIds: attachments.map(({ id }) => id) }
}

/** A webhook in the store, for whoever owns it. */
export async function givenWebhook(
  store: Store,
  owner: AccountId,
  secretSealed = 'sealed',
): Promise<WebhookId> {
  const id = ids.next('webhook')
  const url = `https://${id}.example/`
  await store.webhooks.add(owner, { id, url, secretSealed, createdAt: NOW })
  return id
}

/** Deliveries to a webhook that are due; each has its own id as its payload. */
export async function givenDeliveries(
  store: Store,
  about: { owner: AccountId; webhookId: WebhookId; count: number; inboxId?: InboxId; at?: number },
): Promise<EventId[]> {
  const createdAt = about.at ?? NOW
  const inboxId = about.inboxId ?? (await givenInbox(store, { owner: about.owner })).id
  const made = Array.from({ length: about.count }, () => {
    const id = ids.next('event')
    return {
      id,
      accountId: about.owner,
      webhookId: about.webhookId,
      url: `https://${about.webhookId}.example/`,
      inboxId,
      messageId: ids.next('message'),
      payload: id,
      createdAt,
    }
  })
  await store.deliveries.add(made)
  return made.map(({ id }) => id)
}
