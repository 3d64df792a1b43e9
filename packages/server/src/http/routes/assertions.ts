import {
  assertInbox,
  createScenario,
  deleteScenario,
  listScenarios,
  runScenario,
} from '@mayfly/contract'
import { clientGone, type Routes } from '../route.ts'

/** Assertions and scenarios. */
export const assertionRoutes: Routes = (http, app) => {
  http.post('/v1/inboxes/:id/assert', { schema: assertInbox }, async (request, reply) =>
    app.assertions.run(request.caller, {
      inboxId: request.params.id,
      assertions: request.body.assertions,
      filter: request.body,
      timeoutMs: request.body.timeoutSeconds * 1000,
      gone: clientGone(reply),
    }),
  )

  http.post('/v1/scenarios', { schema: createScenario }, async (request, reply) => {
    const scenario = await app.scenarios.create(request.caller, request.body)
    return reply.code(201).send({ scenario })
  })

  http.get('/v1/scenarios', { schema: listScenarios }, async (request) => ({
    scenarios: await app.scenarios.list(request.caller),
  }))

  http.delete('/v1/scenarios/:id', { schema: deleteScenario }, async (request, reply) => {
    await app.scenarios.delete(request.caller, request.params.id)
    return reply.code(204).send(null)
  })

  http.post('/v1/scenarios/:id/run', { schema: runScenario }, async (request, reply) =>
    app.scenarios.run(request.caller, {
      scenarioId: request.params.id,
      inboxId: request.body.inboxId,
      filter: request.body,
      gone: clientGone(reply),
    }),
  )
}
