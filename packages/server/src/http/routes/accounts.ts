import { readAccount, readUsage, registerAccount } from '@mayfly/contract'
import { LIMITED_BY_ADDRESS } from '../rate-limit.ts'
import type { Routes } from '../route.ts'

/** Accounts and their usage. */
export const accountRoutes: Routes = (http, app) => {
  const registration = { schema: registerAccount, config: LIMITED_BY_ADDRESS }
  http.post('/v1/accounts', registration, async (request, reply) =>
    reply.code(201).send(await app.accounts.register(request.body)),
  )

  http.get('/v1/account', { schema: readAccount }, async (request) =>
    app.accounts.read(request.caller),
  )

  http.get('/v1/usage', { schema: readUsage }, async (request) => ({
    usage: await app.accounts.usage(request.caller, request.query.days),
  }))
}
