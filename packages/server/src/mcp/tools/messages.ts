import {
  idSchema,
  type Link,
  listMessages,
  MESSAGES_PAGE,
  type MessageSummary,
  searchMessages,
} from '@mayfly/contract'
import { z } from 'zod'
import { addressText, readForAgent } from '../message-text.ts'
import { defineTool, READ_ONLY } from '../tool.ts'
import { oneLine } from '../untrusted.ts'

/** Default page size for an agent. */
const PAGE_DEFAULT = 20

/** Characters of a subject or a preview in a list. */
const SUMMARY_CHARS_MAX = 200

/** Characters of links in one result; a single link has up to 8,192. */
const LINKS_CHARS_MAX = 10_000

/** Characters of a link's own text. */
const LINK_TEXT_CHARS_MAX = 200

const messageInput = z.strictObject({ inboxId: idSchema('inbox'), messageId: idSchema('message') })
const offsetField = z.int().min(0).default(0).describe('nextOffset of the result before.')

/** The messages of an inbox. */
export const messageTools = [
  defineTool({
    name: 'list_messages',
    description:
      'Lists the messages of an inbox, newest first. Use it to see what is there; for a mail that has not arrived yet, wait.',
    input: z.strictObject({
      inboxId: idSchema('inbox'),
      cursor: listMessages.querystring.shape.cursor,
      q: listMessages.querystring.shape.q,
      limit: z.int().min(MESSAGES_PAGE.min).max(MESSAGES_PAGE.max).default(PAGE_DEFAULT),
    }),
    annotations: READ_ONLY,
    run: async ({ app, caller, fence }, input) => {
      const { messages, nextCursor } = await app.messages.list(caller, input)
      return {
        messages: messages.map(({ id, receivedAt, hasAttachments, hasOtp }) => ({
          id,
          receivedAt,
          hasAttachments,
          hasOtp,
        })),
        nextCursor,
        untrusted: fence(summaryLines(messages)),
      }
    },
  }),
  defineTool({
    name: 'search_messages',
    description:
      'Finds messages in all inboxes, newest first. Use it when you do not know which inbox a mail went to. All terms must hold: words, "phrases", from: to: subject: header:NAME=value has:attachment has:html otp:any link:host is:unread after: before: larger: in:INBOX; a minus negates. An empty page may have a nextCursor.',
    input: z.strictObject({
      q: searchMessages.querystring.shape.q,
      cursor: searchMessages.querystring.shape.cursor,
      limit: z.int().min(MESSAGES_PAGE.min).max(MESSAGES_PAGE.max).default(PAGE_DEFAULT),
    }),
    annotations: READ_ONLY,
    run: async ({ app, caller, fence }, input) => {
      const { messages, nextCursor } = await app.messages.search(caller, input)
      return {
        messages: messages.map(({ id, inboxId, receivedAt, hasOtp }) => ({
          id,
          inboxId,
          receivedAt,
          hasOtp,
        })),
        nextCursor,
        untrusted: fence(summaryLines(messages)),
      }
    },
  }),
  defineTool({
    name: 'read_message',
    description:
      'Returns a message: sender, subject, text, code, sender checks. Use it to see what a mail says. A long body is cut: read on with offset. `part: "html"` is for questions of layout.',
    input: messageInput.extend({
      part: z.enum(['text', 'html']).default('text'),
      offset: offsetField,
    }),
    annotations: READ_ONLY,
    run: (call, { part, offset, ...ref }) => readForAgent(call, ref, { part, offset }),
  }),
  defineTool({
    name: 'list_links',
    description:
      'Lists the links of a message; nothing is fetched. Use it to find a confirmation or reset link. Open one only if the task calls for it and its host is that of the application under test.',
    input: messageInput.extend({ offset: offsetField }),
    annotations: READ_ONLY,
    run: async ({ app, caller, fence }, { offset, ...ref }) => {
      const { id, links, linkCount } = await app.messages.excerpt(caller, {
        ...{ ...ref, part: 'text', offset: 0, charsMax: 0 },
        linksFrom: offset,
        linksCharsMax: LINKS_CHARS_MAX,
      })
      const lines = linkLines(links)
      const next = offset + lines.length
      return {
        messageId: id,
        linkCount,
        nextOffset: next < linkCount ? next : null,
        untrusted: fence(lines.join('\n')),
      }
    },
  }),
]

/** The senders' text of listed messages, one message a line. */
function summaryLines(messages: readonly MessageSummary[]): string {
  return messages
    .map(({ id, from, subject, preview }) =>
      JSON.stringify({
        id,
        from: addressText([from]),
        subject: subject === null ? null : oneLine(subject, SUMMARY_CHARS_MAX),
        preview: preview === null ? null : oneLine(preview, SUMMARY_CHARS_MAX),
      }),
    )
    .join('\n')
}

/** As many links as fit into a result, and at least one. */
function linkLines(links: readonly Link[]): string[] {
  const lines: string[] = []
  let chars = 0
  for (const { url, text } of links) {
    const line = JSON.stringify({ url, text: oneLine(text, LINK_TEXT_CHARS_MAX) })
    chars += line.length
    if (chars > LINKS_CHARS_MAX && lines.length > 0) break
    lines.push(line)
  }
  return lines
}
