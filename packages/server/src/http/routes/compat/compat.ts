// The APIs of Mailpit, MailHog and MailDev, as their clients expect them: other media types, other
// errors, HTTP Basic. So they are in a scope of their own.

import type { IncomingMessage } from 'node:http'
import { ERRORS } from '@mayfly/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../../assembly/api.ts'
import { ServiceError } from '../../../errors.ts'
import { publicError } from '../../error-response.ts'
import { isOfOwnPage, isOwnRequest } from '../../own-host.ts'
import { collectBody } from './collect-body.ts'
import { serveEventsSocket } from './events-socket.ts'
import { maildevRoutes } from './maildev.ts'
import { mailhogRoutes } from './mailhog.ts'
import { mailpitRoutes } from './mailpit.ts'
import { type Access, admit } from './request.ts'

/** What the APIs of other mail catchers are served with. */
type CompatOptions = {
  readonly app: App
  readonly baseUrl: () => string
  readonly listensOnLoopback: boolean
}

/** Serves the APIs of other mail catchers. */
export async function serveCompat(http: FastifyInstance, options: CompatOptions): Promise<void> {
  const { app, baseUrl, listensOnLoopback } = options
  const isAllowed = listensOnLoopback ? isOwnRequest : isOfOwnPage
  serveEventsSocket(http, app, ({ headers }) => isAllowed(headers, baseUrl()))
  await http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
      collectBody(payload, request.routeOptions.bodyLimit),
    )
    scope.setErrorHandler(answerPlainly)
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true }
      route.schema = { ...route.schema, hide: true }
    })
    // Never read before it is set: the hook below runs on every route.
    scope.decorateRequest('access', undefined as unknown as Access)
    scope.addHook('onRequest', async (request) => {
      // A browser adds the password of HTTP Basic to what any page sends.
      if (!isOfOwnPage(request.headers, baseUrl())) throw new ServiceError('origin_refused')
      request.access = await admit(app, request.headers.authorization)
    })
    mailpitRoutes(scope, app)
    mailhogRoutes(scope, app)
    await scope.register(async (maildev) => {
      maildev.setErrorHandler(answerAsMailDev)
      maildevRoutes(maildev, app)
    })
  })
}

/** An error as Mailpit and MailHog write it: its text alone. */
function answerPlainly(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, message } = setHead(error, request, reply)
  return sendPlainly(reply, status === 404 ? '404 page not found\n' : message)
}

/** An error as MailDev writes it: in JSON, unless the credentials are wrong. */
function answerAsMailDev(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, code, message } = setHead(error, request, reply)
  if (status === 401) return sendPlainly(reply, message)
  return reply.send({ error: code === 'message_not_found' ? 'Email was not found' : message })
}

/** Sets the status and the headers of an error. */
function setHead(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { code, message, detail } = publicError(error, request)
  const { status } = ERRORS[code]
  reply.code(status)
  if (detail.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(detail.retryAfterSeconds))
  }
  if (status !== 401) return { status, code, message }
  reply.header('www-authenticate', 'Basic realm="Login"')
  return { status, code, message: 'Unauthorized.\n' }
}

function sendPlainly(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text)
}
