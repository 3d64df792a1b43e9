import type { App } from '../app/api.ts'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { HandleMcp } from '../http/mcp.ts'
import type { Metrics } from '../http/metrics.ts'
import type { HandleProvider } from '../http/providers.ts'
import { createHttpServer, type HttpServer, type HttpTimeouts } from '../http/server.ts'
import { isLocalHost } from '../ip-address.ts'
import { elapsedMs, systemClock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { standardOutput } from '../platform/log-output.ts'
import type { MemoryLimits } from '../platform/request-body/account-memory.ts'
import type { Signals } from '../signals/thread-signals.ts'

/**
 * Connections that wait to be accepted. With Node's default of 511, a burst of more is made to try
 * again after a second. The kernel has a bound of its own, on Linux 4,096.
 */
const BACKLOG = 4_096

/** The options of the HTTP server. */
export type HttpDeps = {
  readonly app: App
  readonly config: Config
  readonly log: Log
  readonly ids: Ids
  readonly signals: Pick<Signals, 'listen'>
  readonly baseUrl: () => string
  readonly handleProvider: HandleProvider
  readonly httpTimeouts?: HttpTimeouts | undefined
  readonly unreadBytes?: MemoryLimits | undefined
}

/** Stops accepting and waits for open requests; remaining connections are cut. */
export async function stopHttp(http: HttpServer, graceMs: number): Promise<void> {
  const cut = setTimeout(() => http.server.closeAllConnections(), graceMs)
  try {
    await http.close()
  } finally {
    clearTimeout(cut)
  }
}

/** Starts the HTTP server; when this returns, it accepts requests at `url`. */
export async function startHttp(
  deps: HttpDeps,
): Promise<{ readonly http: HttpServer; readonly url: string }> {
  const { config } = deps
  const http = await createHttpServer({
    ...deps,
    timeouts: deps.httpTimeouts,
    listensOnLoopback: isLocalHost(config.MAYFLY_HTTP_HOST),
    isKeyless: config.MAYFLY_CATCH_ALL !== 'off',
    allowedHosts: config.MAYFLY_ALLOWED_HOSTS,
    allowsPrivateNames: config.MAYFLY_CATCH_ALL !== 'off',
    newRequestId: () => deps.ids.requestId(),
    handleMcp: loadMcpOnFirstRequest(deps),
    metrics: config.MAYFLY_METRICS ? metricsOf(deps) : null,
    trustedProxies: config.MAYFLY_TRUSTED_PROXIES,
  })
  try {
    const url = await http.listen({
      host: config.MAYFLY_HTTP_HOST,
      port: config.MAYFLY_HTTP_PORT,
      backlog: BACKLOG,
      listenTextResolver: (address) => `listening at ${address}`,
    })
    return { http, url }
  } catch (error) {
    await http.close()
    throw listenError(error, 'MAYFLY_HTTP')
  }
}

function metricsOf({ config, signals }: HttpDeps): Metrics {
  return {
    cell: config.MAYFLY_CELL,
    lostLogLines: () => standardOutput.lost,
    onMailsStored: (listener) =>
      signals.listen((signal) => {
        if (signal.name === 'mailsStored') listener(signal.mailIds.length)
      }),
  }
}

/** Loads MCP with its first request: its library would double the time of a start. */
function loadMcpOnFirstRequest({ app, ids, log }: HttpDeps): HandleMcp {
  let loading: Promise<HandleMcp> | null = null
  return async (request) => {
    loading ??= import('../mcp/server.ts').then(({ createMcp }) =>
      createMcp({ app, ids, log, elapsedMs, now: systemClock.now }),
    )
    return (await loading)(request)
  }
}

/** The beginning of the settings of a listener. */
type ListenSetting = 'MAYFLY_HTTP' | 'MAYFLY_SMTP' | 'MAYFLY_POP3' | 'MAYFLY_PROVIDERS'

/** An error that the operator can correct by a setting; any other is returned unchanged. */
export function listenError(error: unknown, setting: ListenSetting): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  const reasons: Record<string, string> = {
    EADDRINUSE: `The port is in use. Stop the program that listens on it, or set ${setting}_PORT (0 picks a free one).`,
    EACCES: `This user may not listen on the port. Set ${setting}_PORT to one above 1023.`,
    EADDRNOTAVAIL: `The machine does not have that address. Set ${setting}_HOST.`,
    ENOTFOUND: `${setting}_HOST is not an address of this machine.`,
  }
  const reason = typeof code === 'string' ? reasons[code] : undefined
  return reason === undefined ? error : new StartRefused(`${reason} (${String(error)})`)
}
