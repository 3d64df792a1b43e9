import type { FastifyInstance } from 'fastify'

/** Stand-in. */
export function serveDocsPage(_http: FastifyInstance): void {}
