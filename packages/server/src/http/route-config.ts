import type { FastifyRequest } from 'fastify'

type RouteConfig = FastifyRequest['routeOptions']['config']

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `configOf`. */
    knownConfig?: RouteConfig
  }
}

/**
 * The configuration of a request's route. Fastify makes an object of all options at each access.
 */
export function configOf(request: FastifyRequest): RouteConfig {
  request.knownConfig ??= request.routeOptions.config
  return request.knownConfig
}
