import type { Client, Inbox, ListInboxesOptions } from '@mayfly/client'
import { CommandFailed } from './exit.ts'

/** The inbox named by id or address, in any state, or the newest active one when none is named. */
export async function chooseInbox(
  client: Client,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Inbox> {
  if (named === undefined) {
    const [newest] = await client.inboxes.list({ limit: 1, signal })
    if (newest !== undefined) return newest
    throw new CommandFailed('you have no active inbox. Create one: mayfly inbox new')
  }
  if (!named.includes('@')) return client.inboxes.get(named, { signal })
  const address = named.toLowerCase()
  for await (const inbox of eachInbox(client, { state: 'all', signal })) {
    if (inbox.emailAddress === address) return inbox
  }
  throw new CommandFailed(
    `you have no inbox ${named}. \`mayfly inbox list --all\` lists your inboxes.`,
  )
}

/** Every inbox, page by page, newest first. */
export async function* eachInbox(
  client: Client,
  options: ListInboxesOptions,
): AsyncGenerator<Inbox> {
  let cursor: string | undefined
  do {
    const page = await client.inboxes.list({ ...options, cursor })
    yield* page
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
