import { idSchema, type MessageId, WAIT_SECONDS, waitForMessage } from '@mayfly/contract'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { codeAnswer, codeAnswerSchema } from '../code-text.ts'
import { messageAnswerSchema, readForAgent, senderLines } from '../message-text.ts'
import { withProgress } from '../progress.ts'
import { defineTool, READ_ONLY, type ToolCall, untrustedField } from '../tool.ts'

/** Longest wait of an agent. If mail takes longer, explain_missing_mail helps more. */
const AGENT_WAIT_SECONDS_MAX = 300

const waitInput = waitForMessage.querystring
  .omit({ for: true })
  .extend({
    inboxId: idSchema('inbox'),
    timeoutSeconds: z
      .int()
      .min(WAIT_SECONDS.min)
      .max(AGENT_WAIT_SECONDS_MAX)
      .default(WAIT_SECONDS.default)
      .describe('0 checks once, without waiting.'),
  })
  .strict()

/** Waiting for mail. */
export const waitingTools = [
  defineTool({
    name: 'wait_for_code',
    title: 'Wait for a one-time code',
    description:
      'Waits until a mail with a one-time code arrives and returns the code. Use it right after you triggered a sign-up, a login or a password reset that mails a code. A code that has already arrived counts; to get only a newer one, pass the earlier watermark of the inbox as `after`.',
    input: waitInput,
    output: z.object({
      otp: codeAnswerSchema,
      messageId: idSchema('message'),
      receivedAt: messageAnswerSchema.shape.receivedAt,
      untrusted: untrustedField,
    }),
    annotations: READ_ONLY,
    waits: true,
    run: async (call, input) => {
      const messageId = await waitInRounds(call, { ...input, for: 'otp' })
      const message = await call.app.messages.excerpt(call.caller, {
        ...{ inboxId: input.inboxId, messageId, part: 'text', offset: 0, charsMax: 0 },
        ...{ linksFrom: 0, linksCharsMax: 0 },
      })
      const { otp, receivedAt } = message
      if (otp === null) throw new Error(`message ${messageId} counted without a code`)
      const untrusted = call.fence(senderLines(message).join('\n'))
      return { otp: codeAnswer(otp), messageId, receivedAt, untrusted }
    },
  }),
  defineTool({
    name: 'wait_for_message',
    title: 'Wait for a message',
    description:
      'Waits until a mail arrives and returns it. Use it right after you triggered the mail, when you want its text or its links rather than a code. Mail that has already arrived counts; filter by sender, subject or text, or pass the earlier watermark of the inbox as `after`.',
    input: waitInput,
    output: messageAnswerSchema,
    annotations: READ_ONLY,
    waits: true,
    run: async (call, input) => {
      const messageId = await waitInRounds(call, { ...input, for: 'message' })
      return readForAgent(call, { inboxId: input.inboxId, messageId })
    },
  }),
]

type Wait = z.output<typeof waitInput> & { readonly for: 'message' | 'otp' }

/**
 * Waits as long as the agent asked, in rounds of at most the limit of the API.
 *
 * A round begins with a query, so that a message that arrives between two rounds is found.
 */
async function waitInRounds(call: ToolCall, wait: Wait): Promise<MessageId> {
  const { app, caller, signal, report, elapsedMs } = call
  const deadline = elapsedMs() + wait.timeoutSeconds * 1000
  const round = async () => {
    for (;;) {
      const leftMs = Math.max(0, deadline - elapsedMs())
      const timeoutMs = Math.min(leftMs, WAIT_SECONDS.max * 1000)
      const request = { inboxId: wait.inboxId, filter: wait, timeoutMs, gone: signal }
      try {
        return await app.messages.waitForId(caller, request)
      } catch (error) {
        const isOver = signal.aborted || timeoutMs === leftMs
        const isEmpty = error instanceof ServiceError && error.code === 'nothing_arrived'
        if (!isEmpty || isOver) throw error
      }
    }
  }
  const message = `Waiting for a ${wait.for === 'otp' ? 'code' : 'message'} in ${wait.inboxId}`
  return withProgress({ report, elapsedMs, totalSeconds: wait.timeoutSeconds, message }, round)
}
