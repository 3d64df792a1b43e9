import {
  changeMessage,
  checkMessageHtml,
  deleteMessage,
  deleteMessages,
  explainOtp,
  listMessages,
  readAttachment,
  readMessage,
  readRawMessage,
} from '@mayfly/contract'
import { downloadHeaders } from '../download.ts'
import { type Routes, sendJson } from '../route.ts'

/** Messages, attachments and raw mail. */
export const messageRoutes: Routes = (http, app) => {
  changeRoutes(http, app)

  http.get(
    '/v1/inboxes/:id/messages/:messageId/otp',
    { schema: explainOtp },
    async (request, reply) => {
      const { id: inboxId, messageId } = request.params
      return sendJson(reply, await app.messages.explainCode(request.caller, { inboxId, messageId }))
    },
  )

  http.get(
    '/v1/inboxes/:id/messages/:messageId/html-check',
    { schema: checkMessageHtml },
    async (request, reply) => {
      const { id: inboxId, messageId } = request.params
      return sendJson(reply, await app.messages.htmlCheck(request.caller, { inboxId, messageId }))
    },
  )

  http.get('/v1/inboxes/:id/messages', { schema: listMessages }, async (request, reply) => {
    const { caller, params, query } = request
    return sendJson(reply, await app.messages.listJson(caller, { inboxId: params.id, ...query }))
  })

  http.get(
    '/v1/inboxes/:id/messages/:messageId',
    { schema: readMessage },
    async (request, reply) => {
      const { id: inboxId, messageId } = request.params
      const ref = { inboxId, messageId, ...request.query }
      return sendJson(reply, await app.messages.read(request.caller, ref))
    },
  )

  http.get(
    '/v1/inboxes/:id/messages/:messageId/attachments/:attachmentId',
    { schema: readAttachment },
    async (request, reply) => {
      const { id: inboxId, messageId, attachmentId } = request.params
      const { attachment, bytes } = await app.messages.attachment(request.caller, {
        inboxId,
        messageId,
        attachmentId,
      })
      return reply.headers(downloadHeaders(attachment)).send(bytes)
    },
  )

  http.get(
    '/v1/inboxes/:id/messages/:messageId/raw',
    { schema: readRawMessage },
    async (request, reply) => {
      const { id: inboxId, messageId } = request.params
      const bytes = await app.messages.raw(request.caller, { inboxId, messageId })
      const about = { contentType: 'message/rfc822', filename: `${messageId}.eml` }
      return reply.headers(downloadHeaders(about)).send(bytes)
    },
  )
}

const changeRoutes: Routes = (http, app) => {
  http.patch(
    '/v1/inboxes/:id/messages/:messageId',
    { schema: changeMessage },
    async ({ caller, params: { id: inboxId, messageId }, body: { read } }) =>
      app.messages.mark(caller, { inboxId, messageId, read }),
  )

  http.delete(
    '/v1/inboxes/:id/messages/:messageId',
    { schema: deleteMessage },
    async (request, reply) => {
      const { id: inboxId, messageId } = request.params
      await app.messages.delete(request.caller, { inboxId, messageId })
      return reply.code(204).send(null)
    },
  )

  http.delete('/v1/inboxes/:id/messages', { schema: deleteMessages }, async (request, reply) => {
    await app.messages.deleteAll(request.caller, request.params.id)
    return reply.code(204).send(null)
  })
}
