import type { MessageAuth } from '@mayfly/contract'
import type { Tables } from '../../store/open.ts'

/** What the sender checks need. */
export type SenderCheckDeps = {
  readonly store: Tables
  /** Null when the mail was deleted. */
  readonly readRaw: (mailId: string) => Promise<Buffer | null>
  /** Never throws: a check that fails has a verdict, too. */
  readonly verify: (facts: {
    readonly raw: Buffer
    readonly remoteAddress: string
    readonly helo: string | null
    readonly mailFrom: string
  }) => Promise<MessageAuth>
  /** Stores the verdict, without waiting for it. */
  readonly record: (mailId: string, auth: MessageAuth) => void
}

/** Checks the sender of a stored mail. */
export async function checkSender(deps: SenderCheckDeps, mailId: string): Promise<void> {
  const envelope = await deps.store.mails.findEnvelope(mailId)
  const raw = await deps.readRaw(mailId)
  // Deleted since it was stored.
  if (envelope === null || raw === null) return
  deps.record(mailId, await deps.verify({ raw, ...envelope }))
}
