import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The page at /docs: one document that loads nothing but openapi.json from beside it. */
export type DocsPage = {
  readonly html: string
  /** Allows this page's own script and style by their hashes, and nothing else. */
  readonly contentSecurityPolicy: string
}

/** Puts the page together from the files beside this one; once at start is enough. */
export function docsPage(): DocsPage {
  const script = read(new URL('./browser.js', import.meta.url))
  const style = read(new URL('./page.css', import.meta.url))
  const html = read(new URL('./page.html', import.meta.url))
    .replace('<link rel="stylesheet" href="page.css">', () => `<style>${style}</style>`)
    .replace('<script type="module" src="browser.js">', () => `<script type="module">${script}`)
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
