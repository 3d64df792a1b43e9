import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import { sendError } from './error-response.ts'

/**
 * Responds to requests without a route: 405 with `Allow` if the path has other methods, else 404.
 *
 * Patterns are collected as routes are registered, and searched only after a miss.
 */
export function answerUnmatched(http: FastifyInstance): void {
  const methodsByPattern = new Map<string, Set<string>>()
  http.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByPattern.set(url, methods)
  })

  http.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const allowed = [...methodsByPattern]
      .filter(([pattern]) => matches(pattern, path))
      .flatMap(([, methods]) => [...methods])
    if (allowed.length === 0) return sendError(new ServiceError('route_not_found'), request, reply)
    reply.header('allow', [...new Set(allowed)].sort().join(', '))
    return sendError(new ServiceError('method_not_allowed'), request, reply)
  })
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  )
}
