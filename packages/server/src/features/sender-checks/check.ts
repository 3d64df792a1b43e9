import type { MessageAuth } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'

export type SenderCheckDeps = {
  readonly store: Tables
  /** Null when the mail was deleted. */
  readonly readRaw: (mailId: string) => Promise<Buffer | null>
  readonly verify: (facts: {
    readonly raw: Buffer
    readonly remoteAddress: string
    readonly helo: string | null
    readonly mailFrom: string
  }) => Promise<MessageAuth>
}

/** Checks the sender of a stored mail; null when it was deleted or has a verdict already. */
export async function checkSender(
  deps: SenderCheckDeps,
  mailId: string,
): Promise<MessageAuth | null> {
  const envelope = await deps.store.mails.findUncheckedEnvelope(mailId)
  if (envelope === null) return null
  const raw = await deps.readRaw(mailId)
  return raw === null ? null : deps.verify({ raw, ...envelope })
}
