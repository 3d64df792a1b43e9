import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { readBundledFile } from '../../bundled-files.ts'
import { ServiceError } from '../../errors.ts'
import { PUBLIC } from '../caller.ts'
import { docsFile, type Guides, readGuides } from './guides.ts'

/** The page at /docs: one document that loads nothing but openapi.json. */
type DocsPage = {
  readonly html: string
  /** Allows the page's own script and style by their hashes, and nothing else. */
  readonly contentSecurityPolicy: string
}

/** The scripts, each after its imports: the page contains them as one module. */
const SCRIPTS: readonly URL[] = [
  new URL('./elements.js', import.meta.url),
  new URL('./openapi.js', import.meta.url),
  new URL('./try-it.js', import.meta.url),
  new URL('./operation.js', import.meta.url),
  new URL('./page.js', import.meta.url),
]

/** Browsers request it on every page that names no icon. They accept an image of any type. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2a7de1" d="M1 3h14v10H1z"/><path fill="none" stroke="#fff" stroke-width="1.5" d="m1.5 4 6.5 5 6.5-5"/></svg>`

/** Serves the API reference at /docs, the guides below it, and the page for agents at /llms.txt. */
export function serveDocsPage(http: FastifyInstance): void {
  http.get('/favicon.ico', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(ICON),
  )
  let guides: Guides | null = null
  let page: DocsPage | null = null
  http.get('/docs', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) => {
    guides ??= readGuides()
    page ??= docsPage(guides)
    return reply
      .header('content-security-policy', page.contentSecurityPolicy)
      .type('text/html; charset=utf-8')
      .send(page.html)
  })
  http.get('/llms.txt', { config: PUBLIC, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(readBundledFile(docsFile('llms.txt'))),
  )
  http.get<{ Params: { guide: string } }>(
    '/docs/:guide',
    { config: PUBLIC, schema: { hide: true } },
    async (request, reply) => {
      guides ??= readGuides()
      const guide = guides.get(request.params.guide)
      if (guide === undefined) throw new ServiceError('route_not_found')
      return reply.type('text/plain; charset=utf-8').send(guide.text)
    },
  )
}

function docsPage(guides: Guides): DocsPage {
  const links = [...guides].map(([name, { title }]) => `<li><a href="docs/${name}">${title}</a>`)
  const script = SCRIPTS.map(read)
    .join('\n')
    .replace(/^import [^']+'\.\/[^']+'\n/gm, '')
  const style = read(new URL('./page.css', import.meta.url))
  const html = read(new URL('./page.html', import.meta.url))
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
    .replace('<ul id="guides"></ul>', () => `<ul id="guides">${links.join('')}</ul>`)
    .replace('<script type="module" src="page.js">', () => `<script type="module">${script}`)
  const contentSecurityPolicy = [
    "default-src 'none'",
    "connect-src 'self'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, contentSecurityPolicy }
}

function read(file: URL): string {
  return readBundledFile(file).toString()
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
