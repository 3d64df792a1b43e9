import type { AttachmentId } from '@mayfly/contract'
import { decodeTransfer } from '@mayfly/mail'
import type { Tables } from '../../store/open.ts'
import type { UnscannedAttachment } from '../../store/tables/attachments.ts'

/** What scanning needs. */
export type ScanDeps = {
  readonly store: Tables
  readonly readRaw: (mailId: string) => Promise<Buffer>
  /** Throws when the scanner does not answer. */
  readonly scan: (bytes: Buffer) => Promise<{ readonly found: string | null }>
  /** Resolves once the verdict is stored. */
  readonly record: (
    attachmentId: AttachmentId,
    verdict: { readonly status: 'available' | 'quarantined'; readonly reason: string | null },
  ) => Promise<void>
}

/** Attachments read at a time. */
const BATCH = 20

/**
 * Scans attachments until none is left. Throws when the scanner does not answer; what was not
 * scanned stays quarantined until the next call.
 */
export async function scanAttachments(deps: ScanDeps): Promise<void> {
  for (;;) {
    const unscanned = await deps.store.attachments.listUnscanned(BATCH)
    if (unscanned.length === 0) return
    for (const attachment of unscanned) await scanOne(deps, attachment)
  }
}

async function scanOne(deps: ScanDeps, attachment: UnscannedAttachment): Promise<void> {
  const raw = await deps.readRaw(attachment.mailId)
  const encoded = raw.subarray(attachment.bodyStart, attachment.bodyEnd)
  const { found } = await deps.scan(decodeTransfer(encoded, attachment.bodyEncoding))
  await deps.record(
    attachment.id,
    found === null
      ? { status: 'available', reason: null }
      : { status: 'quarantined', reason: `the scanner found ${found}` },
  )
}
