import { ApiError, type Client, type Inbox } from '@mayfly/client'
import { CommandFailed } from './exit.ts'

/** The inbox named by id or address, in any state, or the newest active one when none is named. */
export async function chooseInbox(
  client: Client,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Inbox> {
  if (named === undefined) {
    const { inboxes } = await client.inboxes.list({ limit: 1, signal })
    const [newest] = inboxes
    if (newest !== undefined) return newest
    throw new CommandFailed('you have no active inbox. Create one: mayfly inbox new')
  }
  if (!named.includes('@')) return client.inboxes.get(named, { signal })
  const address = named.toLowerCase()
  for await (const inbox of client.inboxes.list({ state: 'all', signal })) {
    if (inbox.emailAddress === address) return inbox
  }
  throw new CommandFailed(
    `you have no inbox ${named}. \`mayfly inbox list --all\` lists your inboxes.`,
  )
}

/** The option of commands about messages that names their inbox. */
export const INBOX_OPTION = {
  type: 'string',
  value: 'INBOX',
  about: 'id or address of the inbox (default: the newest)',
} as const

/** The result of a call about a message; names the inbox when the user chose none. */
export async function ofMessage<T>(
  call: Promise<T>,
  { inbox, named }: { readonly inbox: Inbox; readonly named: string | undefined },
): Promise<T> {
  try {
    return await call
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 'message_not_found'
    if (!isMissing || named !== undefined) throw error
    throw new CommandFailed(
      `the newest inbox, ${inbox.emailAddress}, has no such message. Name its inbox: --inbox INBOX`,
    )
  }
}
