import type { AttachmentId, InboxId } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { SenderVerdict } from '../../store/tables/sender-verdicts.ts'

/** The verdict of the scanner on an attachment. */
export type AttachmentFinding = {
  readonly kind: 'attachment'
  readonly attachmentId: AttachmentId
  readonly verdict: {
    readonly status: 'available' | 'quarantined'
    readonly reason: string | null
  }
}

/** A result of the follow-up on a stored mail. */
export type Finding = AttachmentFinding | (SenderVerdict & { readonly kind: 'sender' })

/** What recording needs. */
export type RecordFindingsDeps = {
  readonly store: Store
  readonly announce: (inboxIds: readonly InboxId[]) => void
}

/** Writes findings in one transaction, then announces their inboxes; one `true` for each. */
export async function recordFindings(
  deps: RecordFindingsDeps,
  findings: readonly Finding[],
): Promise<readonly true[]> {
  const inboxIds = new Set<InboxId>()
  const senders = findings.filter((finding) => finding.kind === 'sender')
  const attachments = findings.filter((finding) => finding.kind === 'attachment')
  await deps.store.transaction(async (tx) => {
    if (senders.length > 0) {
      await tx.senderVerdicts.add(senders)
      const concerned = await tx.mails.listInboxes(senders.map(({ mailId }) => mailId))
      for (const id of concerned) inboxIds.add(id)
    }
    for (const { attachmentId, verdict } of attachments) {
      await tx.attachments.setVerdict(attachmentId, verdict)
      for (const id of await tx.attachments.listInboxes(attachmentId)) inboxIds.add(id)
    }
  })
  deps.announce([...inboxIds])
  return findings.map(() => true)
}
