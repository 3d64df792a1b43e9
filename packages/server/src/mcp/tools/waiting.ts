import { idSchema, type MessageId, WAIT_SECONDS, waitForMessage } from '@mayfly/contract'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { codeResult } from '../code-text.ts'
import { readForAgent, senderLines } from '../message-text.ts'
import { withProgress } from '../progress.ts'
import { defineTool, READ_ONLY, type ToolCall } from '../tool.ts'

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
    description:
      'Waits for a mail with a one-time code and returns the code. Use it right after you triggered a sign-up or a login that mails one. A code that has already arrived counts, unless `after` excludes it.',
    input: waitInput,
    annotations: READ_ONLY,
    waits: true,
    run: async (call, input) => {
      return waitInRounds(call, { ...input, for: 'otp' }, async (messageId) => {
        const message = await call.app.messages.excerpt(call.caller, {
          ...{ inboxId: input.inboxId, messageId, part: 'text', offset: 0, charsMax: 0 },
          ...{ linksFrom: 0, linksCharsMax: 0, otpFormat: input.otpFormat },
        })
        const { otp, receivedAt } = message
        if (otp === null) throw new Error(`message ${messageId} counted without a code`)
        const untrusted = call.fence(senderLines(message).join('\n'))
        return { otp: codeResult(otp), messageId, receivedAt, untrusted }
      })
    },
  }),
  defineTool({
    name: 'wait_for_message',
    description:
      'Waits for a mail and returns it. Use it right after you triggered one whose text or links you want rather than a code. Mail that has already arrived counts, unless `after` excludes it.',
    input: waitInput,
    annotations: READ_ONLY,
    waits: true,
    run: async (call, input) => {
      const { inboxId } = input
      const read = (messageId: MessageId) => readForAgent(call, { inboxId, messageId })
      return waitInRounds(call, { ...input, for: 'message' }, read)
    },
  }),
]

type Wait = z.output<typeof waitInput> & { readonly for: 'message' | 'otp' }

/**
 * Waits for the requested time, in rounds of at most the limit of the API.
 *
 * A round begins with a query, so that a message that arrives between two rounds is found. A
 * message that is deleted before it is read was not found.
 */
async function waitInRounds<T>(
  call: ToolCall,
  wait: Wait,
  read: (messageId: MessageId) => Promise<T>,
): Promise<T> {
  const { app, caller, signal, report, elapsedMs } = call
  const deadline = elapsedMs() + wait.timeoutSeconds * 1000
  const round = async () => {
    for (;;) {
      const leftMs = Math.max(0, deadline - elapsedMs())
      const timeoutMs = Math.min(leftMs, WAIT_SECONDS.max * 1000)
      const request = { inboxId: wait.inboxId, filter: wait, timeoutMs, gone: signal }
      try {
        return await read(await app.messages.waitForId(caller, request))
      } catch (error) {
        const code = error instanceof ServiceError ? error.code : null
        const isOver = signal.aborted || timeoutMs === leftMs
        if (code !== 'message_not_found' && (code !== 'nothing_arrived' || isOver)) throw error
      }
    }
  }
  const message = `Waiting for a ${wait.for === 'otp' ? 'code' : 'message'} in ${wait.inboxId}`
  return withProgress({ report, elapsedMs, totalSeconds: wait.timeoutSeconds, message }, round)
}
