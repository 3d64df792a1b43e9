// The APIs of Mailpit, MailHog and MailDev, as their clients expect them: other media types, other
// errors, HTTP Basic. So they are in a scope of their own.

import type { IncomingMessage } from 'node:http'
import { ERRORS } from '@mayfly/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../../app/api.ts'
import { ServiceError } from '../../../errors.ts'
import { collectBody } from '../../../platform/request-body/collect-body.ts'
import { isOfOwnPage, isOwnHost, type OwnNames } from '../../allowed-host.ts'
import { publicError } from '../../error-response.ts'
import { serveEventsSocket } from './events-socket.ts'
import { maildevRoutes } from './maildev.ts'
import { mailhogRoutes } from './mailhog.ts'
import { mailpitRoutes } from './mailpit.ts'
import { type Access, admit } from './request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the page of a mail loads its images there. */
    isPartOfMail?: boolean
  }
}

/** The dependencies of the APIs of other mail catchers. */
type CompatOptions = OwnNames & {
  readonly app: App
  readonly listensOnLoopback: boolean
}

/** Serves the APIs of other mail catchers. */
export async function serveCompat(http: FastifyInstance, options: CompatOptions): Promise<void> {
  const { app, baseUrl, listensOnLoopback } = options
  // The hooks of the server do not run for it.
  serveEventsSocket(http, app, ({ headers }) => {
    const mayUseAnyName = !listensOnLoopback && headers.authorization !== undefined
    const isNamed = mayUseAnyName || isOwnHost(headers.host, options)
    return isNamed && isOfOwnPage(headers, { baseUrl: baseUrl() })
  })
  await http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
      collectBody(payload, request.routeOptions.bodyLimit),
    )
    scope.setErrorHandler(respondPlainly)
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true }
      route.schema = { ...route.schema, hide: true }
    })
    // Never read before it is set: the hook below runs on every route.
    scope.decorateRequest('access', undefined as unknown as Access)
    scope.addHook('onRequest', async (request) => {
      // A browser adds the password of HTTP Basic to requests of any page, and the API may need
      // none.
      if (!isOfOwnPage(request.headers, { baseUrl: baseUrl() }) && !isImageOfMail(request)) {
        throw new ServiceError('origin_refused')
      }
      request.access = await admit(app, request.headers.authorization)
    })
    mailpitRoutes(scope, app)
    mailhogRoutes(scope, app)
    await scope.register(async (maildev) => {
      maildev.setErrorHandler(respondAsMailDev)
      maildevRoutes(maildev, app)
    })
  })
}

/**
 * Whether a request is for an image that a mail shows. The page of a mail has an origin of its own,
 * so that its requests look like those of any other site; but they have the id of the mail.
 */
function isImageOfMail({ headers, params, routeOptions }: FastifyRequest): boolean {
  const isImage = headers['sec-fetch-dest'] === 'image' && headers.origin === undefined
  // Routes of a part of a mail have this parameter.
  const { id } = params as { readonly id?: string }
  return isImage && routeOptions.config.isPartOfMail === true && id !== 'latest'
}

/** An error as Mailpit and MailHog write it: its text alone. */
function respondPlainly(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, message } = setHead(error, request, reply)
  return sendPlainly(reply, status === 404 ? '404 page not found\n' : message)
}

/** An error as MailDev writes it: in JSON, unless the credentials are wrong. */
function respondAsMailDev(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
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
