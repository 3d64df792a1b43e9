import { OperatorRefused } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { AccountEntry, InboxEntry } from '../../store/tables/operator.ts'

/** The target of an operator's command. */
export type Target =
  | { readonly kind: 'account'; readonly account: AccountEntry }
  | { readonly kind: 'inbox'; readonly inbox: InboxEntry }

/** The account with this id or email; throws when there is none. */
export async function getAccount(store: Tables, idOrEmail: string): Promise<AccountEntry> {
  const account = await store.operator.findAccount(idOrEmail)
  if (account === null) throw new OperatorRefused(`There is no account ${idOrEmail}.`)
  return account
}

/**
 * The account with this id or email, or the inbox with this id or address. A text that is both is
 * refused: then an id is needed.
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
