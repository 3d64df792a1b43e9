import { readDiagnostics, readTranscript } from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** Diagnostics and transcripts of an inbox. */
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
}
