import type { InboxId } from '@mayfly/contract'
import type { Store } from '../../store/open.ts'
import type { UnscannedAttachment } from '../../store/tables/attachments.ts'
import type { SenderVerdict } from '../../store/tables/sender-verdicts.ts'

/** The verdict of the scanner on an attachment. */
export type AttachmentFinding = {
  readonly kind: 'attachment'
  readonly attachment: Pick<UnscannedAttachment, 'id' | 'mailId'>
  readonly verdict: {
    readonly status: 'available' | 'quarantined'
    readonly reason: string | null
  }
}

/** A result of the follow-up on a stored mail. */
export type Finding = AttachmentFinding | (SenderVerdict & { readonly kind: 'sender' })

export type RecordFindingsDeps = {
  readonly store: Store
  readonly announce: (changed: {
    readonly inboxIds: readonly InboxId[]
    readonly mailIds: readonly string[]
  }) => void
}

/** Writes findings in one transaction, then announces their inboxes; one `true` for each. */
export async function recordFindings(
  deps: RecordFindingsDeps,
  findings: readonly Finding[],
): Promise<readonly true[]> {
  const mailIds = new Set<string>()
  const senders = findings.filter((finding) => finding.kind === 'sender')
  const attachments = findings.filter((finding) => finding.kind === 'attachment')
  const inboxIds = await deps.store.transaction(async (tx) => {
    if (senders.length > 0) await tx.senderVerdicts.add(senders)
    for (const { mailId } of senders) mailIds.add(mailId)
    for (const { attachment, verdict } of attachments) {
      if (await tx.attachments.setVerdict(attachment, verdict)) mailIds.add(attachment.mailId)
    }
    return mailIds.size === 0 ? [] : tx.mails.listInboxes([...mailIds])
  })
  deps.announce({ inboxIds, mailIds: [...mailIds] })
  return findings.map(() => true)
}
