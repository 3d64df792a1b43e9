import { waitForMessage } from '@mayfly/contract'
import { type Routes, sendJson, WaitingClient } from '../route.ts'

/** Waiting for mail. */
export const waitingRoutes: Routes = (http, app) => {
  http.get('/v1/inboxes/:id/wait', { schema: waitForMessage }, async (request, reply) => {
    const json = await app.messages.wait(request.caller, {
      inboxId: request.params.id,
      filter: request.query,
      timeoutMs: request.query.timeoutSeconds * 1000,
      gone: new WaitingClient(reply),
    })
    return sendJson(reply, json)
  })
}
