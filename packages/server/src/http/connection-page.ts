import { ERRORS } from '@mayfly/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app/api.ts'
import { publicError } from './error-response.ts'

type Question = Awaited<ReturnType<App['connections']['ask']>>
type Connected = Awaited<ReturnType<App['connections']['complete']>>

/** The page for the user after the redirect from the provider. */
type Page = {
  readonly title: string
  readonly lines: readonly string[]
  /** The fields of a form that is sent to this address again. */
  readonly form?: { readonly fields: URLSearchParams; readonly button: string }
}

/** The cookie and the field with the secret of the question. */
const CONFIRMATION = 'mayfly_connection'

const COOKIE_ATTRIBUTES = 'Path=/v1/account/connection; Max-Age=600; HttpOnly; SameSite=Lax'

/** The URL contains a code: it must not be sent as a referrer. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
}

/**
 * Whether a person in a browser has yet to confirm: only browsers send `Sec-Fetch-Mode: navigate`.
 * Programs that complete a connection themselves began it themselves.
 */
export function needsConfirmation({ headers, query }: FastifyRequest): boolean {
  if (headers['sec-fetch-mode'] !== 'navigate') return false
  // The schema of the route allows any parameters.
  const { error, [CONFIRMATION]: confirmation } = query as Readonly<Record<string, unknown>>
  // The provider refused: there is nothing to connect.
  if (error !== undefined) return false
  if (typeof confirmation !== 'string') return true
  return !headers.cookie?.split('; ').includes(`${CONFIRMATION}=${confirmation}`)
}

/** Asks whether the accounts are to be connected. */
export function sendQuestion(reply: FastifyReply, search: string, question: Question) {
  const { email, providerName, confirmation } = question
  const fields = new URLSearchParams(search)
  fields.set(CONFIRMATION, confirmation)
  reply.header('set-cookie', `${CONFIRMATION}=${confirmation}; ${COOKIE_ATTRIBUTES}`)
  return sendPage(reply, 200, {
    title: 'Connect these accounts?',
    lines: [
      `Your account at ${providerName} will be connected to the Mayfly account ${email}.`,
      `If ${email} is not your account, close this window: somebody sent you here to connect your ${providerName} account to theirs.`,
    ],
    form: { fields, button: `Connect to ${email}` },
  })
}

/** Sends the page for a successful connection. */
export function sendConnected(reply: FastifyReply, connected: Connected) {
  const { email, plan, providerName } = connected
  return sendPage(reply, 200, {
    title: 'Connected',
    lines: [
      `Your account at ${providerName} is now connected to the Mayfly account ${email}.`,
      `That account is on the plan ${plan}. You can close this window.`,
      `If ${email} is not your account, tell the operator of this service: somebody sent you here to connect your ${providerName} account to theirs.`,
    ],
  })
}

/** Sends the page for a failed connection. */
export function respondWithErrorPage(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { code, message, detail } = publicError(error, request)
  if (detail.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(detail.retryAfterSeconds))
  }
  // The message of a storage failure says whether something was changed.
  const isStorage = code === 'storage_unavailable'
  const unchanged = isStorage ? '' : 'Nothing was changed. '
  return sendPage(reply, ERRORS[code].status, {
    title: isStorage ? 'The storage does not respond' : 'Not connected',
    lines: [message, `${unchanged}You can close this window.`],
  })
}

function sendPage(reply: FastifyReply, status: number, page: Page) {
  const paragraphs = page.lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')
  const form = page.form === undefined ? '' : formOf(page.form)
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
button { font: inherit; padding: 0.4rem 1rem }
</style>
<h1>${escapeHtml(page.title)}</h1>
${paragraphs}
${form}</html>
`)
}

function formOf({ fields, button }: NonNullable<Page['form']>): string {
  const inputs = [...fields].map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return `<form>\n${inputs.join('\n')}\n<button>${escapeHtml(button)}</button>\n</form>\n`
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
