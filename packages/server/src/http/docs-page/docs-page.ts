import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { PUBLIC } from '../caller.ts'

/** The page at /docs: one document that loads nothing but openapi.json. */
type DocsPage = {
  readonly html: string
  /** Allows the page's own script and style by their hashes, and nothing else. */
  readonly contentSecurityPolicy: string
}

/** The scripts, each after what it imports: the page holds them as one module. */
const SCRIPTS: readonly URL[] = [
  new URL('./elements.js', import.meta.url),
  new URL('./openapi.js', import.meta.url),
  new URL('./try-it.js', import.meta.url),
  new URL('./operation.js', import.meta.url),
  new URL('./page.js', import.meta.url),
]

/** Serves the API reference at /docs. */
export function serveDocsPage(http: FastifyInstance): void {
  let page: DocsPage | null = null
  http.get('/docs', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) => {
    page ??= docsPage()
    return reply
      .header('content-security-policy', page.contentSecurityPolicy)
      .type('text/html; charset=utf-8')
      .send(page.html)
  })
}

function docsPage(): DocsPage {
  const script = SCRIPTS.map(read)
    .join('\n')
    .replace(/^import [^']+'\.\/[^']+'\n/gm, '')
  const style = read(new URL('./page.css', import.meta.url))
  const html = read(new URL('./page.html', import.meta.url))
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
    .replace('<script type="module" src="page.js">', () => `<script type="module">${script}`)
  const contentSecurityPolicy = [
    "default-src 'none'",
    "connect-src 'self'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, contentSecurityPolicy }
}

function read(file: URL): string {
  return readFileSync(file, 'utf8')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
