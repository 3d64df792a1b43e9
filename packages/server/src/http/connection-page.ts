import { ERRORS } from '@mayfly/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../assembly/api.ts'
import { publicError } from './error-response.ts'

type Connected = Awaited<ReturnType<App['connections']['complete']>>

/** What the user reads after the redirect from the provider. */
type Page = { readonly title: string; readonly lines: readonly string[] }

/** The URL holds a code: it must not be sent as a referrer. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

/** Sends the page for a successful connection. */
export function sendConnected(reply: FastifyReply, connected: Connected) {
  const { email, plan, providerName } = connected
  return sendPage(reply, 200, {
    title: 'Connected',
    lines: [
      `Your account at ${providerName} is now connected to the Mayfly account ${email}.`,
      `That account is on the plan ${plan}. You can close this window.`,
      `Is ${email} not yours? Then somebody sent you here to use your ${providerName} account for theirs: tell the operator of this service.`,
    ],
  })
}

/** Sends the page for a failed connection. */
export function answerErrorPage(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { code, message, detail } = publicError(error, request)
  if (detail.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(detail.retryAfterSeconds))
  }
  return sendPage(reply, ERRORS[code].status, {
    title: 'Not connected',
    lines: [message, 'Nothing was changed. You can close this window.'],
  })
}

function sendPage(reply: FastifyReply, status: number, page: Page) {
  const paragraphs = page.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')
  return reply
    .code(status)
    .headers(HEADERS)
    .send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} – Mayfly</title>
<style>
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1rem;
  color-scheme: light dark }
</style>
<h1>${escapeHtml(page.title)}</h1>
${paragraphs}
</html>
`)
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
