import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { QueriedMail } from '@mayfly/mail'
import { commitWaiting } from '../../packages/server/src/features/receiving/commit.ts'
import { composeMail } from '../../packages/server/src/features/receiving/compose.ts'
import { systemClock } from '../../packages/server/src/platform/clock.ts'
import { createIds } from '../../packages/server/src/platform/ids.ts'
import type { Store } from '../../packages/server/src/store/open.ts'
import { administer } from '../../packages/server/test/testing-postgres.ts'

/** The account that has all messages. */
export const OWNER = 'acc_search' as AccountId // A brand by hand: the bench needs a fixed id.

/** As many as one inbox can hold. */
export const MESSAGES_PER_INBOX = 1_000

const NEVER_AT = Date.UTC(2100, 0, 1)
const KEPT_UNTIL = systemClock.now() + 180 * 24 * 60 * 60 * 1000

/** What stands for the number of a mail and for the sender's name in the first mail. */
const NUMBER = 'qnumberq'
const SENDER = 'qsenderq'

/** Ids of copies end with as many digits, so that they sort as they are numbered. */
const ID_DIGITS = 16

const ids = createIds(systemClock)

/** The first mail, of which all others are copies. */
type Template = {
  readonly mailId: string
  readonly messageId: MessageId
  readonly inboxId: InboxId
  readonly receivedAt: number
  /** All that a search for words looks at. */
  readonly text: string
}

/**
 * Fills a store with mails of 4 KB, each with a number and one of 1,000 senders.
 *
 * One mail is received as any other; the database copies its rows, which is ten times as fast. The
 * raw bytes of the copies, at which no search looks, are those of the first mail.
 */
export class SearchStore {
  readonly #store: Store
  readonly #url: string
  readonly #template: Template
  #count = 0

  constructor(store: Store, url: string, template: Template) {
    this.#store = store
    this.#url = url
    this.#template = template
  }

  /** Fills the store at this URL. */
  static async create(store: Store, url: string): Promise<SearchStore> {
    await store.execute(
      `insert into account (id, email, plan, created_at) values ('${OWNER}', 'a@b.example', 'unlimited', 1)`,
    )
    return new SearchStore(store, url, await receiveTemplate(store))
  }

  /** Copies so far. */
  get count(): number {
    return this.#count
  }

  /** Adds an inbox with as many messages as it can hold. */
  async addInbox(): Promise<InboxId> {
    const inboxId = await createInbox(this.#store)
    const { mailId, messageId } = this.#template
    const mail = `'${mailId.slice(0, -ID_DIGITS)}' || ${idDigits(this.#count)}`
    const message = `'${messageId.slice(0, -ID_DIGITS)}' || ${idDigits(this.#count)}`
    const filled = (column: string) => filledIn(column, this.#count)
    const [text, content, address, preview, sender] = [
      ...['text', 'content', 'from_address', 'preview', 'sender'].map(filled),
    ]
    await this.#store.execute(
      `insert into mail (id, received_at, size_bytes, text, html, content, transcript)
      ${SERIES} select ${mail}, received_at, size_bytes, ${text}, html, ${content}, transcript
      from mail, series where id = '${mailId}'`,
    )
    await this.#store.execute(
      `insert into raw_mail (mail_id, encoding, bytes)
      ${SERIES} select ${mail}, encoding, bytes from raw_mail, series where mail_id = '${mailId}'`,
    )
    await this.#store.execute(
      `insert into message (id, inbox_id, mail_id, sequence, received_at, recipient, from_name,
        from_address, subject, preview, size_bytes, has_attachments, sender)
      ${SERIES} select ${message}, '${inboxId}', ${mail}, i, received_at, recipient, from_name,
        ${address}, subject, ${preview}, size_bytes, has_attachments, ${sender}
      from message, series where id = '${messageId}'`,
    )
    await this.#store.execute(
      `update inbox set message_count = ${MESSAGES_PER_INBOX}, last_sequence = ${MESSAGES_PER_INBOX}
      where id = '${inboxId}'`,
    )
    this.#count += MESSAGES_PER_INBOX
    return inboxId
  }

  /** Adds the copies from a number on to the index; `onAdded` gets each number that is reached. */
  async addToIndex(first: number, onAdded: (count: number) => void): Promise<void> {
    // Adding to it message by message takes many times as long as making it anew.
    if (this.#store.isShared) await administer(this.#url, 'drop index search_entry_by_text')
    for (let done = first; done < this.#count; done += MESSAGES_PER_INBOX) {
      if (this.#store.isShared) await this.#addByCopying(done)
      else await this.#addByStore(done)
      onAdded(done + MESSAGES_PER_INBOX)
    }
    if (this.#store.isShared) {
      // Without the time limits that the statements of the service have.
      const index = 'search_entry_by_text on search_entry using gin (text gin_trgm_ops)'
      await administer(this.#url, `create index ${index}`)
      await administer(this.#url, 'vacuum analyze search_entry')
    }
    await this.#store.transaction((tx) =>
      tx.search.setIndexedTo(ids.at('message', systemClock.now())),
    )
  }

  async #addByCopying(before: number): Promise<void> {
    const { messageId, text } = this.#template
    const message = `'${messageId.slice(0, -ID_DIGITS)}' || ${idDigits(before)}`
    await this.#store.execute(
      `insert into search_entry (message_id, account_id, text)
      ${SERIES} select ${message}, '${OWNER}', ${filledIn(`'${text.replaceAll("'", "''")}'`, before)}
      from series on conflict do nothing`,
    )
  }

  async #addByStore(before: number): Promise<void> {
    const { messageId, receivedAt, text } = this.#template
    const entries = Array.from({ length: MESSAGES_PER_INBOX }, (_, i) => {
      const number = before + i + 1
      // Of the form of an id: a brand by hand.
      const id = `${messageId.slice(0, -ID_DIGITS)}${10 ** (ID_DIGITS - 1) + number}` as MessageId
      const words = text.replaceAll(NUMBER, String(number))
      const message = { id, accountId: OWNER, receivedAt }
      return { message, text: words.replaceAll(SENDER, `app${number % 1000}`) }
    })
    await this.#store.transaction((tx) => tx.search.add(entries))
  }
}

/** The numbers of the copies that one statement makes. */
const SERIES = `with recursive series(i) as
  (select 1 union all select i + 1 from series where i < ${MESSAGES_PER_INBOX})`

/** A text of the first mail with the number and the sender of the copy. */
function filledIn(text: string, before: number): string {
  const number = `cast(${before} + i as text)`
  const sender = `'app' || cast((${before} + i) % 1000 as text)`
  return `replace(replace(${text}, '${NUMBER}', ${number}), '${SENDER}', ${sender})`
}

function idDigits(before: number): string {
  return `cast(${10 ** (ID_DIGITS - 1) + before} + i as text)`
}

async function createInbox(store: Store): Promise<InboxId> {
  const id = ids.next('inbox')
  const inbox = { id, address: `${id}@mayfly.test`, domain: 'mayfly.test' }
  const times = { createdAt: systemClock.now(), expiresAt: NEVER_AT }
  await store.transaction((tx) =>
    tx.inboxes.add(OWNER, { ...inbox, ...times, environment: 'live', keepMessages: null }),
  )
  return id
}

async function receiveTemplate(store: Store): Promise<Template> {
  const inboxId = await createInbox(store)
  const facts = { accountId: OWNER, mayHaveFaults: false, isCaught: false, keptUntil: KEPT_UNTIL }
  const recipients = [{ inboxId, address: 'b@mayfly.test', ...facts }]
  const [mailId, receivedAt] = [ids.mailId(KEPT_UNTIL), systemClock.now()]
  const accepted = { ...acceptedMail(), recipients }
  const compose = {
    hostName: 'mx.mayfly.test',
    isScanned: false,
    isTextInRaw: !store.isShared,
    newAttachmentId: () => ids.next('attachment'),
    onError: (error: unknown) => console.error(error),
  }
  const mail = composeMail(compose, { id: mailId, receivedAt, accepted })
  const commit = {
    store,
    newMessageId: () => ids.next('message'),
    newDiagnosticId: () => ids.next('diagnostic'),
    composeDeliveries: () => ({ deliveries: [], omissions: [] }),
    announce: () => undefined,
  }
  await commitWaiting(commit, [{ mail, recipients }])
  const [message] = await store.search.listUnindexed(1)
  const [summary] = await store.candidates.listByIds(OWNER, message ? [message.id] : [])
  if (message === undefined || summary === undefined) throw new Error('the mail was not stored')
  const content = await store.messages.findQueried(OWNER, inboxId, message.id)
  if (content === null) throw new Error('the mail was not stored')
  const text = new QueriedMail(summary, content).searchText()
  return { mailId, messageId: message.id, inboxId, receivedAt, text }
}

function acceptedMail() {
  const sender = `${SENDER}@example.com`
  const header = `From: App <${sender}>\r\nSubject: Welcome\r\nMessage-Id: <${NUMBER}@example.com>\r\n`
  const text = `Your order ${NUMBER} is here.\r\n${'Thank you for signing up with us today.\r\n'.repeat(95)}`
  const client = { remoteAddress: '127.0.0.1', helo: 'app', tls: null, user: null }
  return {
    envelope: { mailFrom: sender, ...client },
    raw: Buffer.from(`${header}\r\n${text}`),
    transcript: [`C: MAIL FROM:<${sender}>`, 'S: 250 2.1.0 Sender OK'],
    protocol: 'ESMTP',
  }
}
