// The numbers by which Mailpit's API names attachments: their places among the parts of the mail.
// They are read from the raw mail, so this does not run on the API's thread: see app/content.ts.

import type { AccountId, AttachmentId } from '@mayfly/contract'
import { readPartNumbers } from '@mayfly/mail'
import type { Tables } from '../../../store/all-tables.ts'
import type { CatchAllRef } from '../../../store/tables/catch-all-messages.ts'

export type PartDeps = {
  readonly store: Tables
  /** The raw bytes of a mail. */
  readonly rawBytes: (mailId: string) => Promise<Buffer>
}

/** The number of each attachment of a message. */
export async function listPartIds(
  { store }: PartDeps,
  owner: AccountId,
  { ref, raw }: { readonly ref: CatchAllRef; readonly raw: Buffer },
): Promise<ReadonlyMap<AttachmentId, string>> {
  const starts = await store.catchAllMessages.listAttachmentStarts(owner, ref)
  const numbers = readPartNumbers(raw)
  return new Map(starts.map(({ id, bodyStart }) => [id, numbers.get(bodyStart) ?? '']))
}

/** The attachment with this number; null without it. */
export async function findPart(
  deps: PartDeps,
  owner: AccountId,
  { ref, partId }: { readonly ref: CatchAllRef; readonly partId: string },
): Promise<AttachmentId | null> {
  const mailId = await deps.store.catchAllMessages.findMailId(owner, ref)
  if (mailId === null) return null
  const partIds = await listPartIds(deps, owner, { ref, raw: await deps.rawBytes(mailId) })
  return [...partIds].find(([, one]) => one === partId)?.[0] ?? null
}
