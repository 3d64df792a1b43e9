import type { AttachmentId } from '@mayfly/contract'
import { decodeTransfer } from '@mayfly/mail'
import type { Tables } from '../../store/all-tables.ts'
import type { UnscannedAttachment } from '../../store/tables/attachments.ts'

export type ScanDeps = {
  readonly store: Tables
  /** Null when the mail was deleted. */
  readonly readRaw: (mailId: string) => Promise<Buffer | null>
  /** Throws when the scanner does not respond; `failed` when it does not scan these bytes. */
  readonly scan: (
    bytes: Buffer,
  ) => Promise<
    | { readonly state: 'clean' }
    | { readonly state: 'infected'; readonly name: string }
    | { readonly state: 'failed'; readonly reason: string }
  >
  /** Resolves once the verdict is stored. */
  readonly record: (
    attachment: Pick<UnscannedAttachment, 'id' | 'mailId'>,
    verdict: { readonly status: 'available' | 'quarantined'; readonly reason: string | null },
  ) => Promise<void>
}

/** How often the scanner failed on an attachment. */
export type ScanFailures = ReadonlyMap<AttachmentId, number>

/** Attachments read at a time. */
const BATCH = 20

/** Scans that may fail before an attachment stays quarantined for good. */
const FAILURES_MAX = 3

/**
 * Scans all attachments that wait for it. Throws when the scanner does not respond; unscanned
 * attachments stay quarantined until the next call.
 *
 * An attachment that the scanner fails on is skipped, so that it does not delay the others; the
 * result counts failures, for the next call.
 */
export async function scanAttachments(
  deps: ScanDeps,
  failuresBefore: ScanFailures,
): Promise<ScanFailures> {
  const failures = new Map<AttachmentId, number>()
  let after: AttachmentId | null = null
  for (;;) {
    const unscanned: UnscannedAttachment[] = await deps.store.attachments.listUnscanned(
      after,
      BATCH,
    )
    for (const attachment of unscanned) {
      const failureCount = failuresBefore.get(attachment.id) ?? 0
      if (!(await scanOne(deps, attachment, failureCount === FAILURES_MAX - 1))) {
        failures.set(attachment.id, failureCount + 1)
      }
    }
    after = unscanned.at(-1)?.id ?? null
    if (after === null) return failures
  }
}

/** False when the scanner failed and should try again later. */
async function scanOne(
  deps: ScanDeps,
  attachment: UnscannedAttachment,
  isLastAttempt: boolean,
): Promise<boolean> {
  const raw = await deps.readRaw(attachment.mailId)
  if (raw === null) return true
  const encoded = raw.subarray(attachment.bodyStart, attachment.bodyEnd)
  const result = await deps.scan(decodeTransfer(encoded, attachment.bodyEncoding))
  if (result.state === 'failed' && !isLastAttempt) return false
  await deps.record(
    { id: attachment.id, mailId: attachment.mailId },
    result.state === 'clean'
      ? { status: 'available', reason: null }
      : { status: 'quarantined', reason: quarantineReason(result) },
  )
  return true
}

function quarantineReason(
  result: Exclude<Awaited<ReturnType<ScanDeps['scan']>>, { state: 'clean' }>,
): string {
  return result.state === 'infected'
    ? `the scanner found ${result.name}`
    : `the scanner could not scan it: ${result.reason}`
}
