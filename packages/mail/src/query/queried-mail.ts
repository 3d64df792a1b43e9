import { readHtml } from '../html/read-html.ts'
import { readableText } from '../html/readable-text.ts'
import { TEXT_CHARS_MAX } from '../limits.ts'
import { contains } from '../text/contains.ts'
import { foldText, foldWords } from './fold-text.ts'

type Mailbox = { readonly name: string | null; readonly address: string | null }

/** What is known of a mail without reading its content. */
export type QueriedSummary = {
  readonly inbox: { readonly id: string; readonly address: string }
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly from: Mailbox
  readonly subject: string | null
  readonly sizeBytes: number
  readonly isRead: boolean
  readonly hasAttachments: boolean
  /** The one-time code. */
  readonly otp: string | null
}

/** The rest of a mail that a query may ask for. */
export type QueriedContent = {
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly replyTo: readonly Mailbox[]
  /** The recipients of the SMTP envelope. */
  readonly recipients: readonly string[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly links: readonly { readonly url: string }[]
  readonly attachments: readonly { readonly filename: string | null; readonly inline: boolean }[]
  readonly text: string | null
  readonly html: string | null
  /** Tags that somebody has set; without them, those that the mail itself has. */
  readonly tags?: readonly string[] | undefined
}

/** Where the addresses of a mail are looked for. */
export type AddressField = 'from' | 'to' | 'cc' | 'bcc' | 'reply-to'

/** A mail as the terms of a query ask for it; each folded text is made when it is first used. */
export class QueriedMail {
  readonly summary: QueriedSummary
  readonly content: QueriedContent
  #head: string | null = null
  #body: string | null = null
  #visible: string | null = null

  constructor(summary: QueriedSummary, content: QueriedContent) {
    this.summary = summary
    this.content = content
  }

  /** Whether words occur, folded, in sender, subject, recipients, file names or body. */
  contains(folded: string): boolean {
    return (
      contains(this.#headText(), folded) ||
      contains(this.#bodyText(), folded) ||
      contains(this.#visibleText(), folded)
    )
  }

  /** All that `contains` looks at, for an index. */
  searchText(): string {
    const body = this.#bodyText()
    const visible = this.#visibleText()
    // Mostly both parts of a mail say the same.
    const parts = [this.#headText(), body, contains(body, visible) ? '' : visible]
    return parts.filter((part) => part !== '').join('\n')
  }

  /** The folded addresses of a field, with their names. */
  addresses(field: AddressField): string {
    const { to, cc, replyTo, recipients } = this.content
    switch (field) {
      case 'from':
        return foldMailboxes([this.summary.from])
      case 'to':
        return [foldMailboxes(to), ...recipients.map(foldText)].join('\n')
      case 'cc':
        return foldMailboxes(cc)
      case 'bcc':
        return [...this.headers('bcc'), ...this.#hiddenRecipients()].join('\n')
      case 'reply-to':
        return foldMailboxes(replyTo)
    }
  }

  /** The folded values of the headers with this name, which is in lower case. */
  headers(name: string): string[] {
    return this.content.headers
      .filter((header) => header.name.toLowerCase() === name)
      .map(({ value }) => foldText(value))
  }

  /** Folded tags: as set, or of the X-Tags header and what follows a plus in a recipient. */
  tags(): string[] {
    if (this.content.tags !== undefined) return this.content.tags.map(foldText)
    const ofHeader = this.headers('x-tags').flatMap((value) => value.split(','))
    const ofRecipients = this.content.recipients.flatMap((recipient) => {
      const [, tag] = /\+([^@]+)@/.exec(recipient) ?? []
      return tag === undefined ? [] : [foldText(tag)]
    })
    return [...ofHeader.map((tag) => tag.trim()), ...ofRecipients].filter((tag) => tag !== '')
  }

  /** Folded recipients of the envelope whom neither To nor Cc names. */
  #hiddenRecipients(): string[] {
    const { to, cc, recipients } = this.content
    const named = new Set([...to, ...cc].map(({ address }) => foldText(address ?? '')))
    return recipients.map(foldText).filter((recipient) => !named.has(recipient))
  }

  #headText(): string {
    this.#head ??= [
      this.addresses('from'),
      this.summary.subject ?? '',
      this.addresses('to'),
      this.addresses('cc'),
      this.addresses('bcc'),
      this.addresses('reply-to'),
      ...this.content.attachments.map(({ filename }) => filename ?? ''),
    ]
      .flatMap((field) => field.split('\n').map(foldWords))
      .join('\n')
    return this.#head
  }

  #bodyText(): string {
    this.#body ??= foldWords((this.content.text ?? '').slice(0, TEXT_CHARS_MAX))
    return this.#body
  }

  #visibleText(): string {
    const { html } = this.content
    this.#visible ??= html === null ? '' : foldWords(readableText(readHtml(html)))
    return this.#visible
  }
}

/** Fields are apart by a line break, which no folded text has: a phrase is within one field. */
function foldMailboxes(mailboxes: readonly Mailbox[]): string {
  return mailboxes
    .map(({ name, address }) => foldText(`${name ?? ''} <${address ?? ''}>`))
    .join('\n')
}
