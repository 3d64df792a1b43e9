// An empty route behind as many of the service's guards as asked for, in a process of its own.
//
//   node bench/load/guarded-route.ts DATABASE_URL GUARD…
//
// Guards: key (who calls), usage (counted and written each second), rate (a limit nobody reaches).
// Prints one line of JSON once it listens: the port, and a key to call with.

import fastify from 'fastify'
import type { App } from '../../packages/server/src/assembly/api.ts'
import { bind } from '../../packages/server/src/assembly/bind.ts'
import { createKeySearch } from '../../packages/server/src/assembly/key-search.ts'
import { startLimits } from '../../packages/server/src/assembly/limits.ts'
import {
  authenticate,
  type Caller,
} from '../../packages/server/src/features/accounts/authenticate.ts'
import { registerAccount } from '../../packages/server/src/features/accounts/register.ts'
import { PLANS } from '../../packages/server/src/features/limits/plans.ts'
import { consumeRequest } from '../../packages/server/src/features/limits/request-rates.ts'
import { authenticateCallers } from '../../packages/server/src/http/caller.ts'
import { limitRates } from '../../packages/server/src/http/rate-limit.ts'
import { systemClock } from '../../packages/server/src/platform/clock.ts'
import { createIds } from '../../packages/server/src/platform/ids.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import { openStore } from '../../packages/server/src/store/open.ts'

const [url = '', ...guards] = process.argv.slice(2)
const clock = systemClock
const ids = createIds(clock)
const store = await openStore({ url, exclusive: false })
const email = `${ids.requestId()}@example.com`
const { apiKey } = await registerAccount({ store, clock, ids, defaultPlan: 'connected' }, { email })

const limits = startLimits({ store, clock, ids, log: createLog('warn') })
const limitsOf = () => ({ ...PLANS.connected, requestsPerMinute: 1_000_000_000 })
const deps = { ...limits, limitsOf, registrationsPerHour: 10 }
const app = {
  authenticate: bind(createKeySearch(store), authenticate),
  limits: {
    consumeRequest: (caller: Caller) =>
      guards.includes('rate') ? consumeRequest(deps, caller) : null,
    countRequest: (caller: Caller) => {
      if (guards.includes('usage')) limits.requestCounter.count(caller)
    },
  },
}
const http = fastify()
// The guards know no more of the app than what stands above.
const guarded = app as unknown as App
if (guards.includes('key')) authenticateCallers(http, guarded)
if (guards.includes('usage') || guards.includes('rate')) limitRates(http, guarded)
http.get('/empty', async () => ({}))
const address = new URL(await http.listen({ host: '127.0.0.1', port: 0 }))
process.stdout.write(`${JSON.stringify({ port: Number(address.port), apiKey })}\n`)
