import type { Client, Inbox } from '@mayfly/client'
import { CommandFailed } from './exit.ts'

/** The inbox named by id or address, or the newest one when none is named. */
export async function chooseInbox(
  client: Client,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Inbox> {
  if (named !== undefined && !named.includes('@')) return client.inboxes.get(named, { signal })
  const inboxes = await client.inboxes.list({ signal })
  const address = named?.toLowerCase()
  const inbox = inboxes.find(
    ({ emailAddress }) => address === undefined || emailAddress === address,
  )
  if (inbox !== undefined) return inbox
  throw new CommandFailed(
    named === undefined
      ? 'you have no active inbox. Create one: mayfly inbox new'
      : `you have no active inbox ${named}. \`mayfly inbox list\` lists your inboxes.`,
  )
}
