import type { AccountId, InboxId, MessageId } from '@mayfly/contract'
import { inboxAddress } from '@mayfly/mail'
import { ServiceError, StorageUnavailable } from '../../errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { Caller } from '../accounts/authenticate.ts'
import { accountMoving } from '../rules/cell.ts'

type Consumed = { readonly refusal: string | null } | null

export type MailboxDeps = {
  readonly store: Tables
  readonly clock: Clock
  /** Finds the account of an API key, or throws. */
  readonly authenticate: (secret: string) => Promise<Caller>
  /** Counts a request of the caller's account; its `refusal` is not null past the limit. */
  readonly consumeRequest: (caller: Caller) => Promise<Consumed>
  /** A message as the lines of a response, away from this thread. */
  readonly readLines: (
    owner: AccountId,
    message: { readonly mailId: string; readonly bodyLines: number | null },
  ) => Promise<Uint8Array>
  /** Deletes those of these messages that are still there. */
  readonly deleteMessages: (
    caller: Caller,
    messages: { readonly inboxId: InboxId; readonly selection: readonly MessageId[] },
  ) => Promise<unknown>
}

/** An inbox as a mailbox, or why it was not opened. */
export type OpenedMailbox =
  | { readonly state: 'opened'; readonly mailbox: InboxMailbox }
  | { readonly state: 'refused' | 'unavailable' | 'limited' }
  /** The key belongs to another cell; the text says which. */
  | { readonly state: 'misdirected'; readonly text: string }

/** Longest user name that is looked up: the longest address. */
const USERNAME_LENGTH_MAX = 320

/** Messages of one mailbox, the oldest: more than an inbox may have. */
const MESSAGES_MAX = 10_000

/**
 * Opens the inbox with this id or address for a key of its account.
 *
 * A wrong user name and a wrong password get the same response, so that it does not reveal which
 * inboxes exist.
 */
export async function openMailbox(
  deps: MailboxDeps,
  credentials: { readonly username: string; readonly password: string },
): Promise<OpenedMailbox> {
  try {
    const inbox = await findInbox(deps, credentials.username)
    const caller = await deps.authenticate(credentials.password)
    if (inbox === null || inbox.accountId !== caller.accountId) return { state: 'refused' }
    const rate = await deps.consumeRequest(caller)
    if ((rate?.refusal ?? null) !== null) return { state: 'limited' }
    const { inboxId } = inbox
    const messages = await deps.store.messages.listSizes(caller.accountId, inboxId, MESSAGES_MAX)
    return { state: 'opened', mailbox: new InboxMailbox(deps, caller, { inboxId, messages }) }
  } catch (error) {
    if (error instanceof StorageUnavailable) return { state: 'unavailable' }
    if (!(error instanceof ServiceError)) throw error
    const { code, message: text } = error
    if (code === 'account_moving') return { state: 'unavailable' }
    return code === 'wrong_cell' ? { state: 'misdirected', text } : { state: 'refused' }
  }
}

/** An inbox as it was when it was opened. */
class InboxMailbox {
  readonly messages: readonly { readonly id: MessageId; readonly sizeBytes: number }[]
  readonly owner: AccountId
  readonly #deps: MailboxDeps
  readonly #caller: Caller
  readonly #inboxId: InboxId

  constructor(
    deps: MailboxDeps,
    caller: Caller,
    inbox: { readonly inboxId: InboxId; readonly messages: InboxMailbox['messages'] },
  ) {
    this.#deps = deps
    this.#caller = caller
    this.owner = caller.accountId
    this.#inboxId = inbox.inboxId
    this.messages = inbox.messages
  }

  /** The lines of a message; null when it was deleted or cannot be read. */
  async read(id: string, bodyLines: number | null): Promise<Buffer | null> {
    try {
      await this.#requireKey()
      // One of `messages`.
      const messageId = id as MessageId
      const { accountId } = this.#caller
      const { messages } = this.#deps.store
      const mailId = await messages.findMailId(accountId, this.#inboxId, messageId)
      if (mailId === null) return null
      const lines = await this.#deps.readLines(accountId, { mailId, bodyLines })
      return Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength)
    } catch (error) {
      if (isExpected(error)) return null
      throw error
    }
  }

  /** Deletes messages; true when all of them are deleted. */
  async delete(ids: readonly string[]): Promise<boolean> {
    try {
      await this.#requireKey()
      // Of `messages`. In one call: a transaction for each would delay the API.
      const selection = ids as readonly MessageId[]
      await this.#deps.deleteMessages(this.#caller, { inboxId: this.#inboxId, selection })
      return true
    } catch (error) {
      if (isExpected(error)) return false
      throw error
    }
  }

  /** A session lasts for minutes: a key that was revoked or rotated must end it at once. */
  async #requireKey(): Promise<void> {
    const { keyId, keyPrefix } = this.#caller
    const { store, clock } = this.#deps
    const active = (await store.keys.findActive([keyId], clock.now())).get(keyId)
    if (active?.prefix !== keyPrefix) throw new ServiceError('invalid_api_key')
    if (active.movingTo !== null) throw accountMoving(active.movingTo)
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof ServiceError || error instanceof StorageUnavailable
}

async function findInbox({ store }: MailboxDeps, username: string) {
  if (username.length > USERNAME_LENGTH_MAX) return null
  const address = inboxAddress(username)
  return address === null
    ? store.receiving.findInbox(username)
    : store.receiving.findRecipient(address)
}
