import { createApp } from './app.ts'
import type { Config } from './config.ts'
import { StartRefused } from './errors.ts'
import { PLANS } from './features/limits/plans.ts'
import { RequestCounter } from './features/limits/usage.ts'
import { createHttpServer } from './http/server.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { createIds } from './platform/ids.ts'
import type { Log } from './platform/log.ts'
import { openStore } from './store/open.ts'

/** A running service. */
export type Service = {
  readonly httpUrl: string
  /** Stops accepting, finishes what was accepted, flushes. */
  stop(): Promise<void>
}

/** What a test may put in place of the machine's own. */
export type ServiceOverrides = { readonly clock?: Clock }

/** How often counted requests are written. */
const FLUSH_MS = 1_000

/** Opens, wires and starts everything; when this returns, both listeners accept. */
export async function startService(
  config: Config,
  log: Log,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const clock = overrides.clock ?? systemClock
  const ids = createIds(clock)
  const store = await openStore({
    url: config.MAYFLY_DATABASE_URL,
    exclusive: true,
    connectionsMax: config.MAYFLY_DATABASE_CONNECTIONS,
  })
  const requestCounter = new RequestCounter(clock)
  const app = createApp({
    store,
    clock,
    ids,
    domains: { public: config.MAYFLY_DOMAINS, private: config.MAYFLY_PRIVATE_DOMAINS },
    defaultPlan: config.MAYFLY_DEFAULT_PLAN,
    limitsOf: (plan) => PLANS[plan],
    requestCounter,
  })
  let httpUrl = ''
  const http = await createHttpServer({
    app,
    log,
    newRequestId: () => ids.requestId(),
    baseUrl: () => config.MAYFLY_BASE_URL ?? httpUrl,
    metrics: config.MAYFLY_METRICS,
  })
  try {
    httpUrl = await http.listen({
      host: config.MAYFLY_HTTP_HOST,
      port: config.MAYFLY_HTTP_PORT,
      listenTextResolver: (address) => `listening at ${address}`,
    })
  } catch (error) {
    await http.close()
    await store.close()
    throw listenError(error, 'MAYFLY_HTTP')
  }

  const flushing = setInterval(() => {
    requestCounter.flush(store).catch((error: unknown) => {
      log.warn({ err: error }, 'usage could not be written; trying again')
    })
  }, FLUSH_MS)

  return {
    httpUrl,
    stop: async () => {
      await http.close()
      clearInterval(flushing)
      await requestCounter.flush(store)
      await store.close()
    },
  }
}

/** A port that cannot be had is the operator's to change; anything else is thrown on. */
function listenError(error: unknown, setting: 'MAYFLY_HTTP' | 'MAYFLY_SMTP'): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  const reasons: Record<string, string> = {
    EADDRINUSE: `The port is taken. Stop what listens there, or set ${setting}_PORT (0 picks a free one).`,
    EACCES: `The port may not be used by this user. Set ${setting}_PORT to one above 1023.`,
    EADDRNOTAVAIL: `The machine does not have that address. Set ${setting}_HOST.`,
    ENOTFOUND: `${setting}_HOST is no address of this machine.`,
  }
  const reason = typeof code === 'string' ? reasons[code] : undefined
  return reason === undefined ? error : new StartRefused(`${reason} (${String(error)})`)
}
