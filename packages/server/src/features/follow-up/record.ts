import type { AttachmentId, InboxId, MessageAuth } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'

/** A result of the follow-up on a stored mail. */
export type Finding =
  | { readonly kind: 'sender'; readonly mailId: string; readonly auth: MessageAuth }
  | {
      readonly kind: 'attachment'
      readonly attachmentId: AttachmentId
      readonly verdict: {
        readonly status: 'available' | 'quarantined'
        readonly reason: string | null
      }
    }

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
  await deps.store.transaction(async (tx) => {
    for (const finding of findings) {
      if (finding.kind === 'sender') await tx.mails.setAuth(finding.mailId, finding.auth)
      else await tx.attachments.setVerdict(finding.attachmentId, finding.verdict)
      const concerned =
        finding.kind === 'sender'
          ? await tx.mails.listInboxes(finding.mailId)
          : await tx.attachments.listInboxes(finding.attachmentId)
      for (const id of concerned) inboxIds.add(id)
    }
  })
  deps.announce([...inboxIds])
  return findings.map(() => true)
}
