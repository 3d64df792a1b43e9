import type { InboxId, MessageAuth } from '@mayfly/contract'
import type { Tables } from '../../store/open.ts'

/** What the sender checks need. */
export type SenderCheckDeps = {
  readonly store: Tables
  readonly readRaw: (mailId: string) => Promise<Buffer>
  /** Never throws: what cannot be found out is a verdict too. */
  readonly verify: (facts: {
    readonly raw: Buffer
    readonly remoteAddress: string
    readonly helo: string | null
    readonly mailFrom: string
  }) => Promise<MessageAuth>
  readonly announce: (inboxIds: readonly InboxId[]) => void
}

/** Checks the sender of a stored mail, and tells whoever waits for the verdict. */
export async function checkSender(deps: SenderCheckDeps, mailId: string): Promise<void> {
  const envelope = await deps.store.mails.findEnvelope(mailId)
  // Deleted meanwhile.
  if (envelope === null) return
  const auth = await deps.verify({ raw: await deps.readRaw(mailId), ...envelope })
  await deps.store.mails.setAuth(mailId, auth)
  deps.announce(await deps.store.mails.listInboxes(mailId))
}
