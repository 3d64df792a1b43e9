import type { FastifyInstance } from 'fastify'
import { readBundledFile } from '../../bundled-files.ts'
import { PUBLIC } from '../caller.ts'
import { docsFile } from '../docs-page/guides.ts'

/**
 * Serves the OpenAPI document. It is written from the routes before (`describe.ts`): that takes 100
 * ms, in which the API could not respond.
 */
export function serveOpenApi(http: FastifyInstance, baseUrl: () => string): void {
  let document: Buffer | null = null
  http.get('/openapi.json', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) => {
    document ??= openApiOf(baseUrl())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

/** The document of a service with this URL. */
function openApiOf(url: string): Buffer {
  const document = JSON.parse(readBundledFile(docsFile('openapi.json')).toString())
  return Buffer.from(JSON.stringify({ ...document, servers: [{ url }] }))
}
