import { createInbox, deleteInbox, listInboxes, readInbox } from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** Inboxes. */
export const inboxRoutes: Routes = (http, app) => {
  http.post('/v1/inboxes', { schema: createInbox }, async (request, reply) => {
    const { inbox, replayed } = await app.inboxes.create(request.caller, {
      ...request.body,
      idempotencyKey: request.headers['idempotency-key'] ?? null,
    })
    if (replayed) reply.header('idempotent-replayed', 'true')
    return reply.code(201).send({ inbox })
  })

  http.get('/v1/inboxes', { schema: listInboxes }, async (request) =>
    app.inboxes.list(request.caller, request.query),
  )

  http.get('/v1/inboxes/:id', { schema: readInbox }, async (request) =>
    app.inboxes.get(request.caller, request.params.id),
  )

  http.delete('/v1/inboxes/:id', { schema: deleteInbox }, async (request, reply) => {
    await app.inboxes.delete(request.caller, request.params.id)
    return reply.code(204).send(null)
  })
}
