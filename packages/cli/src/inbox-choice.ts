import type { Client, Inbox } from '@mayfly/client'
import { CommandFailed } from './exit.ts'

/** The inbox that a person means: by id, by address, or the newest when none is named. */
export async function chooseInbox(
  client: Client,
  named: string | undefined,
  signal: AbortSignal,
): Promise<Inbox> {
  if (named !== undefined && !named.includes('@')) return client.inboxes.get(named, { signal })
  const inboxes = await client.inboxes.list({ signal })
  const wanted = named?.toLowerCase()
  const inbox = inboxes.find(({ emailAddress }) => wanted === undefined || emailAddress === wanted)
  if (inbox !== undefined) return inbox
  throw new CommandFailed(
    named === undefined
      ? 'you have no active inbox. Make one: mayfly inbox new'
      : `you have no active inbox ${named}. \`mayfly inbox list\` shows those that you have.`,
  )
}
