import type { ProviderCall } from '@mayfly/contract'
import type { NewMail } from '../store/tables/mails.ts'
import type { AdmittedRecipient } from './admit.ts'

/** A complete mail with the id and the time that it is stored under. */
export type ReceivedMail = {
  readonly id: string
  readonly receivedAt: number
  readonly envelope: {
    readonly mailFrom: string
    readonly remoteAddress: string
    readonly helo: string | null
    readonly tls: string | null
    /** The authenticated identity; null without AUTH. */
    readonly user: { readonly name: string } | null
  }
  readonly recipients: readonly Pick<AdmittedRecipient, 'address' | 'inboxId' | 'isCatchAll'>[]
  readonly raw: Buffer
  readonly transcript: readonly string[]
  /** `ESMTP`, `ESMTPS` …; null for a mail that did not come by SMTP; it gets no trace headers. */
  readonly protocol: string | null
  /** Of a mail that was sent by a provider's API. */
  readonly provider?: {
    readonly call: ProviderCall
    readonly unknownFields: readonly string[]
  }
}

/** A mail that was composed, and its recipients. */
export type ComposedMail = {
  readonly mail: NewMail
  readonly recipients: ReceivedMail['recipients']
}

/** A mail on its way into the store; a large one was composed by a thread of its own. */
export type MailToStore = ReceivedMail | ComposedMail

/** Bytes that composing a mail still has to read; 0 for a composed mail. */
export function unreadBytes(mail: MailToStore): number {
  return 'raw' in mail ? mail.raw.length : 0
}
