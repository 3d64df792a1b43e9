import { beginConnection, completeConnection, deleteConnection } from '@mayfly/contract'
import { PUBLIC } from '../caller.ts'
import {
  needsConfirmation,
  respondWithErrorPage,
  sendConnected,
  sendQuestion,
} from '../connection-page.ts'
import type { Routes } from '../route.ts'

/** Connecting an external account. */
export const connectionRoutes: Routes = (http, app) => {
  http.post('/v1/account/connection', { schema: beginConnection }, async (request) =>
    app.connections.begin(request.caller, request.body),
  )

  http.delete('/v1/account/connection', { schema: deleteConnection }, async (request, reply) => {
    await app.connections.delete(request.caller)
    return reply.code(204).send(null)
  })

  const callback = {
    schema: completeConnection,
    config: PUBLIC,
    errorHandler: respondWithErrorPage,
  }
  http.get('/v1/account/connection/callback', callback, async (request, reply) => {
    const { search } = new URL(request.url, 'http://local')
    if (needsConfirmation(request)) {
      return sendQuestion(reply, search, await app.connections.ask(search))
    }
    return sendConnected(reply, await app.connections.complete(search))
  })
}
