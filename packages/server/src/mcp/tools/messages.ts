import {
  foundMessageSchema,
  idSchema,
  type Link,
  listMessages,
  MESSAGES_PAGE,
  type MessageSummary,
  messageSummarySchema,
  searchMessages,
} from '@mayfly/contract'
import { z } from 'zod'
import { addressText, messageResultSchema, readForAgent } from '../message-text.ts'
import { defineTool, READ_ONLY, untrustedField } from '../tool.ts'
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
const offsetField = z.int().min(0).default(0).describe('The nextOffset of the previous result.')

/** The messages of an inbox. */
export const messageTools = [
  defineTool({
    name: 'list_messages',
    title: 'List messages',
    description:
      'Lists the messages of an inbox, newest first. Use it to see what is there or to find an id; to get a mail that has not arrived yet, use wait_for_message or wait_for_code.',
    input: z.strictObject({
      inboxId: idSchema('inbox'),
      cursor: listMessages.querystring.shape.cursor,
      q: listMessages.querystring.shape.q,
      limit: z.int().min(MESSAGES_PAGE.min).max(MESSAGES_PAGE.max).default(PAGE_DEFAULT),
    }),
    output: z.object({
      messages: z.array(
        messageSummarySchema.pick({
          id: true,
          receivedAt: true,
          hasAttachments: true,
          hasOtp: true,
        }),
      ),
      nextCursor: listMessages.response[200].shape.nextCursor,
      untrusted: untrustedField.describe('Sender, subject and preview of each message.'),
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
    title: 'Search the messages of all inboxes',
    description:
      'Finds messages in all inboxes of the account, newest first. Use it when you do not know which inbox a mail went to. The query has terms that must all hold: words, "phrases", from: to: subject: header:NAME=value has:attachment has:html otp:any link:host is:unread after: before: larger: in:INBOX; a minus negates. If a page is empty but has a nextCursor, continue with it.',
    input: z.strictObject({
      q: searchMessages.querystring.shape.q,
      cursor: searchMessages.querystring.shape.cursor,
      limit: z.int().min(MESSAGES_PAGE.min).max(MESSAGES_PAGE.max).default(PAGE_DEFAULT),
    }),
    output: z.object({
      messages: z.array(
        foundMessageSchema.pick({ id: true, inboxId: true, receivedAt: true, hasOtp: true }),
      ),
      nextCursor: searchMessages.response[200].shape.nextCursor,
      untrusted: untrustedField.describe('Sender, subject and preview of each message.'),
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
    title: 'Read a message',
    description:
      'Returns one message: sender, subject, text, detected code, results of the sender checks. Use it to look at what a mail says. A long body is cut; read on with offset. `part: "html"` gives the sanitised HTML, for questions about layout alone.',
    input: messageInput.extend({
      part: z.enum(['text', 'html']).default('text'),
      offset: offsetField,
    }),
    output: messageResultSchema,
    annotations: READ_ONLY,
    run: (call, { part, offset, ...ref }) => readForAgent(call, ref, { part, offset }),
  }),
  defineTool({
    name: 'list_links',
    title: 'List the links of a message',
    description:
      'Lists the links of a message as data, in order of appearance; nothing is fetched. Use it to find a confirmation or reset link. Open one only if the task calls for it and its host is that of the application under test; to see whether links respond, use check_mail.',
    input: messageInput.extend({ offset: offsetField }),
    output: z.object({
      messageId: idSchema('message'),
      linkCount: z.int(),
      nextOffset: z.int().nullable().describe('Pass it as offset to see the links that follow.'),
      untrusted: untrustedField.describe('One link per line: {"url", "text"}.'),
    }),
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
