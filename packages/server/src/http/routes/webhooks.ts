import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  replayDelivery,
  testWebhook,
} from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** Webhooks and their delivery log. */
export const webhookRoutes: Routes = (http, app) => {
  http.post('/v1/webhooks', { schema: createWebhook }, async (request, reply) =>
    reply.code(201).send(await app.webhooks.create(request.caller, request.body)),
  )

  http.get('/v1/webhooks', { schema: listWebhooks }, async (request) => ({
    webhooks: await app.webhooks.list(request.caller),
  }))

  http.delete('/v1/webhooks/:id', { schema: deleteWebhook }, async (request, reply) => {
    await app.webhooks.delete(request.caller, request.params.id)
    return reply.code(204).send(null)
  })

  http.post('/v1/webhooks/:id/test', { schema: testWebhook }, async (request) =>
    app.webhooks.test(request.caller, request.params.id),
  )

  http.get('/v1/webhooks/deliveries', { schema: listDeliveries }, async (request) =>
    app.deliveries.list(request.caller, request.query),
  )

  http.post('/v1/webhooks/deliveries/:id/replay', { schema: replayDelivery }, async (request) =>
    app.deliveries.replay(request.caller, request.params.id),
  )
}
