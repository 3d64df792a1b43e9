import { createKey, listKeys, revokeKey, rotateKey } from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** API keys. */
export const keyRoutes: Routes = (http, app) => {
  http.post('/v1/keys', { schema: createKey }, async (request, reply) =>
    reply.code(201).send(await app.keys.create(request.caller, request.body)),
  )

  http.get('/v1/keys', { schema: listKeys }, async (request) => app.keys.list(request.caller))

  http.post('/v1/keys/rotate', { schema: rotateKey }, async (request) =>
    app.keys.rotate(request.caller),
  )

  http.delete('/v1/keys/:id', { schema: revokeKey }, async (request, reply) => {
    await app.keys.revoke(request.caller, request.params.id)
    return reply.code(204).send(null)
  })
}
