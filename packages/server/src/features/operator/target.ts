import { OperatorRefused } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import type { AccountEntry, InboxEntry } from '../../store/tables/operator.ts'

/** What an operator's command is about. */
export type Target =
  | { readonly kind: 'account'; readonly account: AccountEntry }
  | { readonly kind: 'inbox'; readonly inbox: InboxEntry }

/** The account of an email or id; throws when there is none. */
export async function getAccount(store: Tables, idOrEmail: string): Promise<AccountEntry> {
  const account = await store.operator.findAccount(idOrEmail)
  if (account === null) throw new OperatorRefused(`There is no account ${idOrEmail}.`)
  return account
}

/**
 * The account or the inbox that a text names: by id, the account by its email, the inbox by
 * its address. An address may be both, and then only an id will do.
 */
export async function getTarget(store: Tables, text: string): Promise<Target> {
  const account = await store.operator.findAccount(text)
  const inbox = await store.operator.findInbox(text)
  if (account !== null && inbox !== null) {
    throw new OperatorRefused(
      `${text} is an account and an inbox. Name one by its id: ${account.id} or ${inbox.id}.`,
    )
  }
  if (account !== null) return { kind: 'account', account }
  if (inbox !== null) return { kind: 'inbox', inbox }
  throw new OperatorRefused(`There is neither an account nor an inbox ${text}.`)
}
