import { deleteFaults, readFaults, setFaults } from '@mayfly/contract'
import type { Routes } from '../route.ts'

/** Faults of inboxes. */
export const faultRoutes: Routes = (http, app) => {
  const path = '/v1/inboxes/:id/faults'

  http.put(path, { schema: setFaults }, async ({ caller, params, body }) =>
    app.faults.set(caller, { inboxId: params.id, ...body }),
  )

  http.get(path, { schema: readFaults }, async ({ caller, params }) =>
    app.faults.read(caller, params.id),
  )

  http.delete(path, { schema: deleteFaults }, async ({ caller, params }, reply) => {
    await app.faults.delete(caller, params.id)
    return reply.code(204).send(null)
  })
}
