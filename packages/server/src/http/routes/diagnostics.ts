import { readDiagnostics, readTranscript, streamEvents } from '@mayfly/contract'
import { sendEvents } from '../event-stream.ts'
import { clientGone, type Routes } from '../route.ts'

/** Diagnostics, transcripts and the event stream of an inbox. */
export const diagnosticsRoutes: Routes = (http, app) => {
  http.get('/v1/inboxes/:id/diagnostics', { schema: readDiagnostics }, async (request) =>
    app.inboxes.diagnose(request.caller, request.params.id),
  )

  http.get(
    '/v1/inboxes/:id/messages/:messageId/transcript',
    { schema: readTranscript },
    async (request) => ({
      lines: await app.messages.transcript(request.caller, {
        inboxId: request.params.id,
        messageId: request.params.messageId,
      }),
    }),
  )

  // No HEAD: its response has no body that would end the stream with the connection.
  const streamOptions = { schema: streamEvents, exposeHeadRoute: false }
  http.get('/v1/inboxes/:id/events', streamOptions, async (request, reply) => {
    const gone = clientGone(reply)
    const events = await app.inboxes.stream(request.caller, {
      inboxId: request.params.id,
      lastEventId: request.headers['last-event-id'] ?? null,
      gone,
    })
    return sendEvents(reply, events, gone)
  })
}
