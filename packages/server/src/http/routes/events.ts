import { streamAccountEvents } from '@mayfly/contract'
import { sendEvents } from '../event-stream.ts'
import { clientGone, type Routes } from '../route.ts'

/** The event stream of an account. */
export const eventRoutes: Routes = (http, app) => {
  // No HEAD: its response has no body that would end the stream with the connection.
  const options = { schema: streamAccountEvents, exposeHeadRoute: false }
  http.get('/v1/events', options, async (request, reply) => {
    const gone = clientGone(reply)
    const lastEventId = request.headers['last-event-id'] ?? null
    return sendEvents(reply, await app.events.stream(request.caller, { lastEventId, gone }), gone)
  })
}
