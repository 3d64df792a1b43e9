import type { CallOptions } from './connection.ts'
import { callOptions, checkOptions, type OptionKinds } from './options.ts'
import { type Pages, pages } from './pages.ts'
import type { Requester } from './request.ts'

/** A mail address with its name; either may be missing in a malformed mail. */
export type Address = { readonly name: string | null; readonly address: string | null }

/** A one-time code that was found in a mail; `confidence` is from 0 to 1. */
export type Otp = { readonly value: string; readonly confidence: number }

/** A link of a mail and its text. */
export type Link = { readonly url: string; readonly text: string }

/** A message in a list. */
export type MessageSummary = {
  readonly id: string
  readonly from: Address
  /** The address written to: the first of the envelope recipients. */
  readonly recipient: string
  readonly subject: string | null
  readonly preview: string | null
  readonly receivedAt: string
  readonly hasAttachments: boolean
  readonly hasOtp: boolean
  readonly read: boolean
}

/** An attachment; its bytes are read by `downloadAttachment`. */
export type Attachment = {
  readonly id: string
  readonly filename: string | null
  readonly contentType: string
  readonly sizeBytes: number
  readonly contentId: string | null
  readonly inline: boolean
  readonly sha256: string
  readonly status: 'available' | 'blocked' | 'quarantined'
  /** Why it is blocked or quarantined. */
  readonly reason: string | null
}

/** The result of one sender check, in the terms of RFC 8601. */
export type AuthVerdict = {
  readonly result: string
  readonly domain: string | null
  readonly detail: string | null
}

/** A provider whose HTTP API is served. */
type ProviderName =
  | ('ses' | 'sendgrid' | 'resend' | 'postmark' | 'mailgun' | 'brevo')
  | ('mailtrap' | 'mandrill' | 'mailjet' | 'mailersend' | 'sparkpost' | 'zeptomail')

/** A call of a provider's API. */
export type ProviderCall = {
  /** As in the path of its URL: `sendgrid`. */
  readonly name: ProviderName
  readonly operation: string
  /** The id that the caller got. */
  readonly id: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  /** When the caller wanted it sent; null: at once. */
  readonly scheduledAt: string | null
  /** The request without its key; contents of attachments are replaced by their sizes. */
  readonly request: unknown
}

/** A whole message. */
export type Message = MessageSummary & {
  readonly inboxId: string
  /** The envelope recipients: in a catch-all inbox all, otherwise only that of this message. */
  readonly recipients: readonly string[]
  readonly to: readonly Address[]
  readonly cc: readonly Address[]
  readonly replyTo: readonly Address[]
  /** The Date header. */
  readonly sentAt: string | null
  readonly sizeBytes: number
  /** The text part, or the readable text of the HTML part. */
  readonly text: string | null
  /**
   * The HTML part, sanitised: without scripts, forms, style sheets and remote images, and without
   * attributes such as `id` and `class`. `readRaw` has the original.
   */
  readonly html: string | null
  readonly otp: Otp | null
  /** In order of appearance, each URL once. */
  readonly links: readonly Link[]
  readonly attachments: readonly Attachment[]
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Null until the checks are done; they run after the mail is stored. */
  readonly auth: {
    readonly spf: AuthVerdict
    readonly dkim: AuthVerdict
    readonly dmarc: AuthVerdict
  } | null
  readonly envelope: {
    /** Empty for the null sender of bounces. */
    readonly mailFrom: string
    readonly rcptTo: string
    readonly remoteAddress: string
    readonly helo: string | null
    /** The TLS version, or null without TLS. */
    readonly tls: string | null
  }
  /** The call of a provider's API by which it was sent; null for mail by SMTP. */
  readonly provider: ProviderCall | null
  /** The defects of the mail; usually empty. */
  readonly defects: readonly string[]
}

/** A candidate for the code of a mail. */
export type OtpCandidate = Otp & {
  readonly reasonsFor: readonly string[]
  readonly reasonsAgainst: readonly string[]
}

/** Why a code was found, or why none was; the best candidate first. */
export type OtpExplanation = {
  readonly otp: Otp | null
  readonly candidates: readonly OtpCandidate[]
}

/** One page of messages, newest first; `nextCursor` is null on the last one. */
export type MessagePage = {
  readonly messages: readonly MessageSummary[]
  readonly nextCursor: string | null
}

/** Which messages are listed. */
export type ListMessagesOptions = CallOptions & {
  /** At most 100. Default: 50. */
  readonly limit?: number | undefined
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined
  /** Only messages that arrived after this watermark. */
  readonly after?: string | undefined
  /** Only messages that match this search query, such as `from:acme -has:attachment`. */
  readonly q?: string | undefined
}

/** A message that a search has found. */
export type FoundMessage = MessageSummary & { readonly inboxId: string }

/** One page of a search; it may have few messages, or none, and still a `nextCursor`. */
export type SearchPage = {
  /** Newest first. */
  readonly messages: readonly FoundMessage[]
  readonly nextCursor: string | null
  /** Messages received before this time are in the index; of later ones, the newest are found. */
  readonly indexedUntil: string
}

/** How a message is read. */
export type ReadMessageOptions = CallOptions & {
  /** Whether `html` keeps remote images. Default: `block`. */
  readonly remoteImages?: 'block' | 'allow' | undefined
  /** The form of `otp`, such as `999999` or `AAAA-AAAA`: only such values count. */
  readonly otpFormat?: string | undefined
}

/** How a message is marked. */
export type MarkOptions = CallOptions & {
  /** `false` marks it as unread. Default: true. */
  readonly read?: boolean | undefined
}

const MARK = { read: 'flag', signal: 'signal' } as const satisfies OptionKinds<MarkOptions>

/** An address that shows a message by itself, for a minute. */
type MessageFrame = {
  /** Relative to the service. */
  readonly url: string
  readonly expiresAt: string
  /** Whether the message has images of other servers, loaded or not. */
  readonly hasRemoteImages: boolean
}

type SupportShares = {
  /** Percent. */
  readonly supported: number
  readonly partial: number
  readonly unsupported: number
}

/** Which mail clients support the HTML of a message, by the data of caniemail.com. */
export type HtmlCheck = {
  readonly hasHtml: boolean
  /** The date of the data. */
  readonly dataDate: string
  readonly elementCount: number
  readonly featureCount: number
  /** The mean of all clients; null when the mail uses no feature. */
  readonly support: SupportShares | null
  readonly clients: readonly (SupportShares & { readonly client: string; readonly name: string })[]
  /** Features that a client does not fully support; those with the most such clients first. */
  readonly warnings: readonly {
    readonly slug: string
    readonly title: string
    readonly description: string
    readonly url: string
    readonly category: string
    /** How often the mail uses it. */
    readonly found: number
    readonly results: readonly {
      readonly client: string
      readonly version: string
      readonly support: 'partial' | 'unsupported'
      readonly notes: readonly string[]
    }[]
  }[]
}

/** Calls about the messages of one inbox. */
export type MessageCalls = {
  list(options?: ListMessagesOptions): Pages<MessagePage, MessageSummary>
  read(messageId: string, options?: ReadMessageOptions): Promise<Message>
  frame(messageId: string, options?: Omit<ReadMessageOptions, 'otpFormat'>): Promise<MessageFrame>
  mark(messageId: string, options?: MarkOptions): Promise<MessageSummary>
  delete(messageId: string, options?: CallOptions): Promise<void>
  deleteAll(options?: CallOptions): Promise<void>
  raw(messageId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>
  transcript(messageId: string, options?: CallOptions): Promise<readonly string[]>
  explainOtp(messageId: string, options?: CallOptions): Promise<OtpExplanation>
  htmlCheck(messageId: string, options?: CallOptions): Promise<HtmlCheck>
  attachment(
    messageId: string,
    attachmentId: string,
    options?: CallOptions,
  ): Promise<Uint8Array<ArrayBuffer>>
}

/** Binds the calls about the messages of one inbox. */
export function messageCalls(requester: Requester, inboxPath: string): MessageCalls {
  const base = `${inboxPath}/messages`
  const pathOf = (messageId: string) => `${base}/${encodeURIComponent(messageId)}`
  return {
    list: ({ signal, ...query } = {}) =>
      pages(
        query,
        (of) => requester.json<MessagePage>({ method: 'GET', path: base, query: of, signal }),
        ({ messages }) => messages,
      ),
    read: (messageId, { signal, ...query } = {}) =>
      requester.json({ method: 'GET', path: pathOf(messageId), query, signal }),
    frame: (messageId, { signal, ...body } = {}) =>
      requester.json({ method: 'POST', path: `${pathOf(messageId)}/frame`, body, signal }),
    mark: async (messageId, options = {}) => {
      checkOptions(options, MARK)
      const { read = true, signal } = options
      return requester.json({ method: 'PATCH', path: pathOf(messageId), body: { read }, signal })
    },
    delete: async (messageId, options) =>
      requester.done({ method: 'DELETE', path: pathOf(messageId), ...callOptions(options) }),
    deleteAll: async (options) =>
      requester.done({ method: 'DELETE', path: base, ...callOptions(options) }),
    raw: async (messageId, options) =>
      requester.bytes({ method: 'GET', path: `${pathOf(messageId)}/raw`, ...callOptions(options) }),
    transcript: async (messageId, options) =>
      requester.field('lines', {
        method: 'GET',
        path: `${pathOf(messageId)}/transcript`,
        ...callOptions(options),
      }),
    explainOtp: async (messageId, options) =>
      requester.json({ method: 'GET', path: `${pathOf(messageId)}/otp`, ...callOptions(options) }),
    htmlCheck: async (messageId, options) =>
      requester.json({
        method: 'GET',
        path: `${pathOf(messageId)}/html-check`,
        ...callOptions(options),
      }),
    attachment: async (messageId, attachmentId, options) => {
      const path = `${pathOf(messageId)}/attachments/${encodeURIComponent(attachmentId)}`
      return requester.bytes({ method: 'GET', path, ...callOptions(options) })
    },
  }
}
