import type { Attachment, InboxId, MailAddress, Message, MessageId } from '@mayfly/contract'
import { codeLines, codeResult } from './code-text.ts'
import type { ToolCall, ToolResult } from './tool.ts'
import { cut, oneLine } from './untrusted.ts'

/** Characters of a body in one result: enough for a long mail, small for a context window. */
const BODY_CHARS_MAX = 8_000

/** Characters of a header line. */
const LINE_CHARS_MAX = 500

/** Addresses shown of one header. */
const ADDRESSES_MAX = 20

/** Attachments shown. */
const ATTACHMENTS_MAX = 20

/** Which body of a message is read. */
export type Part = 'text' | 'html'

/** A message in the result of a tool; a body that was cut continues at `nextOffset`. */
type MessageResult = ToolResult & {
  readonly untrusted: string
  readonly bodyLength: number
  readonly nextOffset: number | null
}

/** Reads a message for an agent: its metadata, and the sender's text, fenced and cut. */
export async function readForAgent(
  { app, caller, fence }: Pick<ToolCall, 'app' | 'caller' | 'fence'>,
  ref: { readonly inboxId: InboxId; readonly messageId: MessageId },
  { part, offset }: { readonly part: Part; readonly offset: number } = { part: 'text', offset: 0 },
): Promise<MessageResult> {
  const message = await app.messages.excerpt(caller, {
    ...{ ...ref, part, offset, linksFrom: 0, linksCharsMax: 0 },
    // One more, by which the end is seen.
    charsMax: BODY_CHARS_MAX + 1,
  })
  const { auth, bodyLength } = message
  const { text: body, nextOffset } = cut(message.body, 0, BODY_CHARS_MAX)
  return {
    messageId: message.id,
    inboxId: message.inboxId,
    receivedAt: message.receivedAt,
    sizeBytes: message.sizeBytes,
    otp: message.otp && codeResult(message.otp),
    auth: auth && { spf: auth.spf.result, dkim: auth.dkim.result, dmarc: auth.dmarc.result },
    linkCount: message.linkCount,
    bodyLength,
    nextOffset: nextOffset === null ? null : offset + nextOffset,
    untrusted: fence(offset > 0 ? body : `${headLines(message).join('\n')}\n\n${body}`),
  }
}

/** Sender, subject and a code made of words: enough for results that are about something else. */
export function senderLines(message: Pick<Message, 'from' | 'subject' | 'otp'>): string[] {
  return [
    `From: ${addressText([message.from])}`,
    `Subject: ${oneLine(message.subject ?? '(none)', LINE_CHARS_MAX)}`,
    ...codeLines(message.otp),
  ]
}

/** Addresses on one line. */
export function addressText(addresses: readonly MailAddress[]): string {
  const shown = addresses
    .slice(0, ADDRESSES_MAX)
    .map(({ name, address }) => (name === null ? (address ?? '') : `${name} <${address ?? ''}>`))
  return oneLine(shown.join(', '), LINE_CHARS_MAX)
}

function headLines(
  message: Pick<Message, 'from' | 'subject' | 'otp' | 'to' | 'attachments'>,
): string[] {
  return [
    ...senderLines(message),
    ...(message.to.length === 0 ? [] : [`To: ${addressText(message.to)}`]),
    ...message.attachments.slice(0, ATTACHMENTS_MAX).map(attachmentLine),
  ]
}

function attachmentLine({ filename, contentType, sizeBytes, status }: Attachment): string {
  const name = filename === null ? 'without a name' : JSON.stringify(filename)
  return oneLine(
    `Attachment: ${name}, ${contentType}, ${sizeBytes} bytes, ${status}`,
    LINE_CHARS_MAX,
  )
}
