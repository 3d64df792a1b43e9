import { BODY_BYTES_MAX, DOMAIN_LENGTH_MAX } from '@mayfly/contract'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { App } from '../app/api.ts'
import { ServiceError } from '../errors.ts'
import type { MemoryLimits } from '../platform/request-body/account-memory.ts'
import { type OwnNames, refuseCrossOrigin } from './allowed-host.ts'
import { authenticateCallers } from './caller.ts'
import { checkHost, respondToClientErrors } from './client-errors.ts'
import { serveDashboard } from './dashboard/dashboard.ts'
import { findDashboard } from './dashboard/files.ts'
import { serveDocsPage } from './docs-page/docs-page.ts'
import { defaultHeaders, respondUnroutable, respondWithError } from './error-response.ts'
import { acceptInboxAddresses } from './inbox-addresses.ts'
import { costlyJson, invalidJson, isCostlyJson, NO_BODY } from './json-body.ts'
import { loggedUrl } from './logged-url.ts'
import { type HandleMcp, serveMcp } from './mcp.ts'
import { type Metrics, serveMetrics } from './metrics.ts'
import { serveOpenApi } from './openapi/openapi.ts'
import { type HandleProvider, serveProviders } from './providers.ts'
import { limitRates } from './rate-limit.ts'
import type { Routes } from './route.ts'
import { accountRoutes } from './routes/accounts.ts'
import { assertionRoutes } from './routes/assertions.ts'
import { serveCompat } from './routes/compat/compat.ts'
import { isForEventsSocket } from './routes/compat/events-socket.ts'
import { connectionRoutes } from './routes/connections.ts'
import { diagnosticsRoutes } from './routes/diagnostics.ts'
import { domainRoutes } from './routes/domains.ts'
import { eventRoutes } from './routes/events.ts'
import { faultRoutes } from './routes/faults.ts'
import { frameRoutes } from './routes/frames.ts'
import { healthRoutes } from './routes/health.ts'
import { inboxRoutes } from './routes/inboxes.ts'
import { keyRoutes } from './routes/keys.ts'
import { messageRoutes } from './routes/messages.ts'
import { searchRoutes } from './routes/search.ts'
import { serviceRoutes } from './routes/service.ts'
import { signInRoutes } from './routes/sign-in.ts'
import { waitingRoutes } from './routes/waiting.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { KnownPaths, refuseUnmatched } from './unmatched.ts'
import { limitUnreadResponses } from './unread-responses.ts'

/** The API's server, before and after it listens. */
export type HttpServer = FastifyInstance

/** Dependencies and settings of the API's server. */
export type HttpOptions = OwnNames & {
  readonly app: App
  readonly log: FastifyBaseLogger
  /** Generates an id for a request without one. */
  readonly newRequestId: () => string
  /** Whether only programs of the same machine can connect. */
  readonly listensOnLoopback: boolean
  /** Whether some data is shown without a key. */
  readonly isKeyless: boolean
  /** Handles requests to /mcp. */
  readonly handleMcp: HandleMcp
  /** Answers calls below /providers/. */
  readonly handleProvider: HandleProvider
  /** Null: no metrics are served. */
  readonly metrics: Metrics | null
  /** Called before the routes are added; for the OpenAPI document. */
  readonly describe?: (http: FastifyInstance) => Promise<void>
  readonly timeouts?: HttpTimeouts | undefined
  /** Bytes of unread responses that may be in memory. */
  readonly unreadBytes?: MemoryLimits | undefined
  /** Addresses and networks of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[]
}

/** Bounds on how long a client may occupy a connection. */
export type HttpTimeouts = {
  /** Longest time for receiving a whole request; a slower client only occupies a socket. */
  readonly requestMs: number
  /**
   * Longest time without a byte in either direction. Longer than any wait, which is silent for up
   * to 50 s; streams send comments. It ends clients that do not read their response.
   */
  readonly idleMs: number
}

const TIMEOUTS: HttpTimeouts = { requestMs: 30_000, idleMs: 65_000 }

/** Longer than the idle timeout of common proxies, so that they close connections first. */
const KEEP_ALIVE_MS = 75_000

/** Retry-After of a service that stops. */
const STOP_RETRY_SECONDS = 2

/** Request ids that are taken over from the client, so that its log and ours can be joined. */
const REQUEST_ID = /^[\w.:-]{1,64}$/

const NULL_BODY = { message: 'body: must be an object' }

/** Not called, because other compilers are set; without it Fastify loads Ajv and its serialiser. */
const buildNothing = (): never => {
  throw new Error('The server has its own compilers for schemas.')
}

const ROUTES: readonly Routes[] = [
  healthRoutes,
  accountRoutes,
  connectionRoutes,
  keyRoutes,
  domainRoutes,
  inboxRoutes,
  faultRoutes,
  messageRoutes,
  searchRoutes,
  frameRoutes,
  waitingRoutes,
  diagnosticsRoutes,
  eventRoutes,
  assertionRoutes,
  webhookRoutes,
  signInRoutes,
  serviceRoutes,
]

/** Builds the API's server with all its routes. */
export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { requestMs, idleMs } = options.timeouts ?? TIMEOUTS
  const paths = new KnownPaths()
  const http = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would take memory as long as a wait is open; log lines about a
    // request have its id.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    requestTimeout: requestMs,
    connectionTimeout: idleMs,
    // Node swaps the two timeouts when that of the headers, by default 60 s, is the longer one. It
    // checks for requests past their time only at this interval.
    http: {
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: requestMs / 10,
      // Node's own response has no body; `checkHost` sends ours.
      requireHostHeader: false,
      shouldUpgradeCallback: isForEventsSocket,
    },
    // The longest part of a path is a domain name.
    // Fastify's own response has another shape; `refuseWhenClosing` sends ours.
    return503OnClosing: false,
    routerOptions: { maxParamLength: DOMAIN_LENGTH_MAX },
    schemaController: {
      compilersFactory: { buildValidator: buildNothing, buildSerializer: buildNothing },
    },
    frameworkErrors: respondUnroutable,
    clientErrorHandler: respondToClientErrors({ paths, newRequestId: options.newRequestId }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : options.newRequestId()
    },
  }).withTypeProvider<ZodTypeProvider>()

  http.setValidatorCompiler<z.core.$ZodType>((part) => {
    const validate = validatorCompiler(part)
    // Fastify passes null for a missing body; a body that is null was refused by the parser.
    return part.httpPart === 'body' ? (body) => validate(body ?? undefined) : validate
  })
  // The compiler checks responses against the schemas; doing it again at run time would cost more
  // than building the response.
  http.setSerializerCompiler(() => (body) => JSON.stringify(body))
  http.setErrorHandler(respondWithError)
  acceptOnlyJson(http)
  refuseUnknownFields(http)
  addRequestHooks(http, options, paths)
  await options.describe?.(http)
  serveOpenApi(http, options.baseUrl)
  serveDocsPage(http)
  serveDashboard(http, findDashboard(), () => aboutService(options))
  serveMcp(http, options)
  if (options.metrics !== null) await serveMetrics(http, options.metrics)
  for (const routes of ROUTES) routes(http, options.app)
  serveProviders(http, options.handleProvider)
  await serveCompat(http, options)
  return http
}

/** The steps before each route, in this order. */
function addRequestHooks(http: FastifyInstance, options: HttpOptions, paths: KnownPaths): void {
  setDefaultHeaders(http)
  logRequests(http)
  refuseWhenClosing(http)
  if (options.listensOnLoopback || options.isKeyless) {
    refuseCrossOrigin(http, options, { exceptWithKey: !options.listensOnLoopback })
  }
  refuseUnmatched(http, paths)
  authenticateCallers(http, options.app)
  limitRates(http, options.app)
  acceptInboxAddresses(http, options.app)
  limitUnreadResponses(http, options.unreadBytes)
}

/**
 * Routes of the API that take no query parameters refuse all of them, as the others refuse unknown
 * ones: a misspelt filter must not look like one that matched everything. So do routes that take no
 * body with its fields.
 */
function refuseUnknownFields(http: FastifyInstance): void {
  http.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/')) return
    route.schema = { querystring: z.strictObject({}), body: NO_BODY, ...route.schema }
  })
}

/** Accepts JSON alone. A request without a body may still declare it: many clients always do. */
function acceptOnlyJson(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const json = String(body)
    if (json === '') return done(null, undefined)
    if (isCostlyJson(json)) return done(costlyJson())
    void parse(request, json, (error, value) => {
      if (error !== null) done(invalidJson(json))
      else if (value === null) done(new ServiceError('invalid_parameter', NULL_BODY))
      else done(null, value)
    })
  })
}

/** Sets the headers of every response, and refuses requests that HTTP itself forbids. */
function setDefaultHeaders(http: FastifyInstance): void {
  // Node would respond to an unknown expectation with 417 and no body; it may be ignored as well.
  http.server.on('checkExpectation', (request, response) => http.routing(request, response))
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(defaultHeaders(request.id))
    checkHost(request.raw)
    done()
  })
}

/** Refuses requests on open connections after the server has begun to stop. */
function refuseWhenClosing(http: FastifyInstance): void {
  let isClosing = false
  http.addHook('preClose', async () => {
    isClosing = true
  })
  http.addHook('onRequest', (_request, _reply, done) => {
    if (isClosing)
      throw new ServiceError('shutting_down', { retryAfterSeconds: STOP_RETRY_SECONDS })
    done()
  })
}

/** The response to a program that requests `/`: the URLs of the service. */
function aboutService({ app, baseUrl }: HttpOptions): object {
  const base = baseUrl()
  return {
    name: 'Mayfly',
    version: app.describe().version,
    api: `${base}/v1`,
    docs: `${base}/docs`,
    openapi: `${base}/openapi.json`,
    mcp: `${base}/mcp`,
  }
}

/** Levels of the log at which requests are logged. */
const DEBUG_LEVELS: ReadonlySet<string> = new Set(['trace', 'debug'])

/** Logs each request at level debug. */
function logRequests(http: FastifyInstance): void {
  if (!DEBUG_LEVELS.has(http.log.level)) return
  http.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const url = loggedUrl(request.url)
    const { statusCode, elapsedTime } = reply
    request.log.debug({ requestId, method, url, statusCode, elapsedMs: elapsedTime }, 'request')
    done()
  })
}
