import { BODY_BYTES_MAX } from '@mayfly/contract'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { App } from '../assembly/api.ts'
import { authenticateCallers } from './caller.ts'
import { serveDocsPage } from './docs-page.ts'
import { answerError } from './error-response.ts'
import { type HandleMcp, serveMcp } from './mcp.ts'
import { serveMetrics } from './metrics.ts'
import { serveOpenApi } from './openapi.ts'
import { limitRates } from './rate-limit.ts'
import { accountRoutes } from './routes/accounts.ts'
import { assertionRoutes } from './routes/assertions.ts'
import { connectionRoutes } from './routes/connections.ts'
import { diagnosticsRoutes } from './routes/diagnostics.ts'
import { domainRoutes } from './routes/domains.ts'
import { healthRoutes } from './routes/health.ts'
import { inboxRoutes } from './routes/inboxes.ts'
import { keyRoutes } from './routes/keys.ts'
import { messageRoutes } from './routes/messages.ts'
import { waitingRoutes } from './routes/waiting.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import type { Routes } from './routes.ts'
import { answerUnmatched } from './unmatched.ts'

/** The API's server, before and after it listens. */
export type HttpServer = FastifyInstance

/** What the API's server is made of. */
export type HttpOptions = {
  readonly app: App
  readonly log: FastifyBaseLogger
  /** A new id for a request that brings none. */
  readonly newRequestId: () => string
  readonly baseUrl: () => string
  /** Answers agents at /mcp. */
  readonly handleMcp: HandleMcp
  readonly metrics: boolean
  /** Addresses and networks whose X-Forwarded-For names who really calls. */
  readonly trustedProxies: readonly string[]
}

/** A request must be here in full by then; a slower client only holds a socket. */
const REQUEST_TIMEOUT_MS = 30_000

/** Idle connections are kept longer than the proxies in front keep theirs. */
const KEEP_ALIVE_MS = 75_000

/** A request id that a caller may bring, so that its log and ours can be read together. */
const REQUEST_ID = /^[\w.:-]{1,64}$/

const ROUTES: readonly Routes[] = [
  healthRoutes,
  accountRoutes,
  connectionRoutes,
  keyRoutes,
  domainRoutes,
  inboxRoutes,
  messageRoutes,
  waitingRoutes,
  diagnosticsRoutes,
  assertionRoutes,
  webhookRoutes,
]

/** Builds the API's server with all its routes. */
export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const http = fastify({
    loggerInstance: options.log,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'requestId',
    }),
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: options.trustedProxies.length > 0 && [...options.trustedProxies],
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    genReqId: ({ headers }) => {
      const brought = headers['x-request-id']
      return typeof brought === 'string' && REQUEST_ID.test(brought)
        ? brought
        : options.newRequestId()
    },
  }).withTypeProvider<ZodTypeProvider>()

  http.setValidatorCompiler(validatorCompiler)
  // The types of the routes hold what the schemas say; checking again at run time would
  // cost more than making the answer.
  http.setSerializerCompiler(() => (body) => JSON.stringify(body))
  http.setErrorHandler(answerError)
  takeJsonAlone(http)
  tellRequests(http)
  answerUnmatched(http)
  authenticateCallers(http, options.app)
  limitRates(http, options.app)
  await serveOpenApi(http, options.baseUrl)
  serveDocsPage(http)
  serveMcp(http, options)
  if (options.metrics) await serveMetrics(http)
  for (const routes of ROUTES) routes(http, options.app)
  return http
}

/** JSON is the one media type; a call without a body may still say that it would be JSON. */
function takeJsonAlone(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, String(body), done)
  })
}

/** The request id goes into every answer; the log has a line a request at level debug. */
function tellRequests(http: FastifyInstance): void {
  http.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  http.addHook('onResponse', async (request, reply) => {
    const { method, url } = request
    const { statusCode, elapsedTime } = reply
    request.log.debug({ method, url, statusCode, elapsedMs: elapsedTime }, 'request')
  })
}
