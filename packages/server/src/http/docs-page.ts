import type { FastifyInstance } from 'fastify'
import { PUBLIC } from './caller.ts'
import { docsPage } from './docs-page/page.ts'

/** Serves the reference of the API, for a person, at /docs. */
export function serveDocsPage(http: FastifyInstance): void {
  const { html, contentSecurityPolicy } = docsPage()
  http.get('/docs', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('x-content-type-options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(html),
  )
}
