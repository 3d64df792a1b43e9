import { streamAccountEvents } from '@mayfly/contract'
import { sendEvents } from '../event-stream.ts'
import { clientGone, type Routes } from '../route.ts'

/** The event stream of an account, or of one inbox. */
export const eventRoutes: Routes = (http, app) => {
  // No HEAD: its response has no body that would end the stream with the connection.
  const options = { schema: streamAccountEvents, exposeHeadRoute: false }
  http.get('/v1/events', options, async (request, reply) => {
    const gone = clientGone(reply)
    const events = await app.events.stream(request.caller, {
      inboxId: request.query.inbox ?? null,
      lastEventId: request.headers['last-event-id'] ?? null,
      gone,
    })
    return sendEvents(reply, events, gone)
  })
}
