import { idSchema } from '@mayfly/contract'
import { z } from 'zod'
import { readForAgent } from './message-text.ts'
import type { ToolCall } from './tool.ts'

/** The resource template of a message. */
export const MESSAGE_TEMPLATE = {
  uriTemplate: 'mayfly://inboxes/{id}/messages/{messageId}',
  name: 'message',
  title: 'A message',
  description: 'Sender, subject and text of a message, fenced as untrusted; a long text is cut.',
  mimeType: 'text/plain',
} as const

const MESSAGE_URI =
  /^mayfly:\/\/inboxes\/(?<inboxId>[\w-]{1,64})\/messages\/(?<messageId>[\w-]{1,64})$/

const messageRef = z.object({ inboxId: idSchema('inbox'), messageId: idSchema('message') })

/** The text of the message with this URI; null for a URI of another form. */
export async function readMessageResource(
  call: Pick<ToolCall, 'app' | 'caller' | 'fence'>,
  uri: string,
): Promise<string | null> {
  const ref = messageRef.safeParse(MESSAGE_URI.exec(uri)?.groups)
  if (!ref.success) return null
  const { untrusted, nextOffset, bodyLength } = await readForAgent(call, ref.data)
  if (nextOffset === null) return untrusted
  return `${untrusted}\nCut at ${nextOffset} of ${bodyLength} characters; read_message returns the rest.`
}
