import type { MessageAuth } from '@mayfly/contract'
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
  /** Has the verdict written; somebody else waits for that. */
  readonly record: (mailId: string, auth: MessageAuth) => void
}

/** Checks the sender of a stored mail. */
export async function checkSender(deps: SenderCheckDeps, mailId: string): Promise<void> {
  const envelope = await deps.store.mails.findEnvelope(mailId)
  // Deleted meanwhile.
  if (envelope === null) return
  deps.record(mailId, await deps.verify({ raw: await deps.readRaw(mailId), ...envelope }))
}
