// Mailpit's call that sends a mail. Its errors are JSON: see compat.ts.

import type { FastifyInstance } from 'fastify'
import type { App } from '../../../app/api.ts'
import { BodyMemory } from '../../../platform/request-body/body-memory.ts'

const MiB = 1024 * 1024

/** Bodies that are in memory, of all accounts. */
const HELD_BYTES_MAX = 128 * MiB

/**
 * The largest body for messages of this size. Attachments are as long in base64 as in the message;
 * the rest is for escaped characters.
 */
const bodyBytesMax = (messageBytesMax: number) => Math.ceil(messageBytesMax * 1.125) + MiB

/** In a scope of its own: the body is read by the handler, which knows when it is done with it. */
export function sendRoute(http: FastifyInstance, app: App): void {
  let bodyMemory: BodyMemory | null = null
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('*', (_request, _payload, done) => done(null))
  http.post('/api/v1/send', async ({ access, raw, ip }, reply) => {
    const bytesMax = bodyBytesMax(app.compat.messageBytesMax)
    // Of one account two of the largest, if there is room for them.
    const accountBytesMax = Math.min(2 * bytesMax, HELD_BYTES_MAX)
    bodyMemory ??= new BodyMemory({ bytesMax: HELD_BYTES_MAX, accountBytesMax })
    const own = { owner: access.caller.accountId, payload: raw, bytesMax }
    const sent = await bodyMemory.whileReserved(own, (body) =>
      app.compat.mailpit.send(access, { body, remoteAddress: ip }),
    )
    if (sent.state === 'stored') return { ID: sent.messageId }
    return reply.code(sent.state === 'tooLarge' ? 413 : 400).send({ Error: sent.reason })
  })
}
