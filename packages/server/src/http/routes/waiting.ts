import { waitForMessage } from '@mayfly/contract'
import { waitQuery } from '../../wait-query.ts'
import { clientGone, type Routes } from '../route.ts'

/** Waiting for mail. */
export const waitingRoutes: Routes = (http, app) => {
  http.get('/v1/inboxes/:id/wait', { schema: waitForMessage }, async (request, reply) =>
    app.messages.wait(request.caller, {
      inboxId: request.params.id,
      query: waitQuery(request.query),
      timeoutMs: request.query.timeoutSeconds * 1000,
      gone: clientGone(reply),
    }),
  )
}
