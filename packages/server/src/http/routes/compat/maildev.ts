// The API of MailDev: version 2 at /email, version 3 at /api/email.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../../app/api.ts'
import { ServiceError } from '../../../errors.ts'
import { sendJson } from '../../route.ts'
import { found, queryNumber, queryText, readJson } from './request.ts'
import { inlineHeaders, MAIL_HEADERS, rawHeaders } from './untrusted.ts'

const PAGE = { allMax: 1_000, summary: 50, summaryMax: 200 } as const

/** Query parameters that are no filters. */
const PAGE_PARAMETERS: readonly string[] = ['skip', 'limit', 'sort']

/** The text of MailDev for a list of ids that is none. */
const NO_IDS = 'Request body must include an ids array of email IDs'

const idsSchema = z.object({ ids: z.array(z.string().regex(/\S/)) })

type RelayParams = { readonly Params: { readonly id: string; readonly relayTo?: string } }
type MailParams = { readonly Params: { readonly id: string } }

/** Registers the routes of MailDev's API. */
export function maildevRoutes(http: FastifyInstance, app: App): void {
  for (const prefix of ['', '/api']) {
    listRoutes(http, app, prefix)
    mailRoutes(http, app, prefix)
    contentRoutes(http, app, prefix)
    http.get(`${prefix}/config`, async () => ({
      version: '3.0.0',
      smtpPort: app.describe().smtp.port,
      isOutgoingEnabled: app.compat.releaseHosts.length > 0,
    }))
  }
  // Version 2 has it at /healthz, where ours is.
  http.get('/api/healthz', async () => true)
}

function listRoutes(http: FastifyInstance, app: App, prefix: string): void {
  http.get(`${prefix}/email`, async ({ access, query }, reply) => {
    const given = Object.entries(query ?? {}).filter(([name]) => !PAGE_PARAMETERS.includes(name))
    const filters = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
    const page = {
      skip: queryNumber(query, 'skip', 0),
      limit: Math.min(queryNumber(query, 'limit', PAGE.allMax), PAGE.allMax),
      isNewestFirst: queryText(query, 'sort') === 'desc',
    }
    const view = { view: 'list', inboxIds: access.inboxIds, ...page, filters } as const
    return sendJson(reply, found(await app.compat.maildev.view(access, view)))
  })

  http.get(`${prefix}/email/summary`, async ({ access, query }, reply) => {
    const page = {
      skip: queryNumber(query, 'skip', 0),
      limit: Math.min(queryNumber(query, 'limit', 0) || PAGE.summary, PAGE.summaryMax),
      isNewestFirst: queryText(query, 'sort') !== 'asc',
      search: queryText(query, 'search'),
      isUnread: queryText(query, 'unread') === 'true',
    }
    const view = { view: 'summary', inboxIds: access.inboxIds, ...page } as const
    return sendJson(reply, found(await app.compat.maildev.view(access, view)))
  })

  http.patch(`${prefix}/email/read-all`, async ({ access }) => {
    const { unread } = await app.compat.mailbox.count(access)
    await app.compat.mailbox.mark(access, { selection: { by: 'all' }, read: true })
    return unread
  })

  http.delete(`${prefix}/email/all`, async ({ access }) => {
    await app.compat.mailbox.remove(access, { by: 'all' })
    return true
  })

  http.post(`${prefix}/email/delete`, async ({ access, body }, reply) => {
    const parsed = idsSchema.safeParse(readJson(body))
    if (!parsed.success) return reply.code(400).send({ error: NO_IDS })
    const ids = new Set(parsed.data.ids)
    const removed = new Set<string>(
      await app.compat.mailbox.remove(access, { by: 'ids', ids: [...ids] }),
    )
    return { deleted: [...ids.intersection(removed)], notFound: [...ids.difference(removed)] }
  })
}

/** The mail that a request names; throws when there is none. */
async function find(app: App, { access, params }: FastifyRequest<MailParams>) {
  return found(await app.compat.mailbox.resolve(access, { id: params.id, query: null }))
}

function mailRoutes(http: FastifyInstance, app: App, prefix: string): void {
  http.get<MailParams>(`${prefix}/email/:id`, async (request, reply) => {
    const ref = await find(app, request)
    const selection = { by: 'ids', ids: [ref.messageId] } as const
    await app.compat.mailbox.mark(request.access, { selection, read: true })
    return sendJson(
      reply,
      found(await app.compat.maildev.view(request.access, { view: 'mail', ref })),
    )
  })

  http.delete<MailParams>(`${prefix}/email/:id`, async (request, reply) => {
    const { access, params } = request
    const removed = await app.compat.mailbox.remove(access, { by: 'ids', ids: [params.id] })
    return removed.length > 0 ? true : reply.code(404).send({ error: 'Email was not found' })
  })

  for (const path of ['relay', 'relay/:relayTo']) {
    http.post<RelayParams>(`${prefix}/email/:id/${path}`, async (request, reply) => {
      const ref = await find(app, request)
      const { relayTo } = request.params
      const recipients = relayTo === undefined ? null : [relayTo]
      const place = { ref, host: null, recipients, login: null }
      const released = await app.compat.release(request.access, place)
      if (released.state === 'sent') return true
      const error = released.state === 'off' ? 'Outgoing mail not configured' : released.reason
      return reply.code(500).send({ error })
    })
  }
}

function contentRoutes(http: FastifyInstance, app: App, prefix: string): void {
  http.get<MailParams>(`${prefix}/email/:id/html`, async (request, reply) => {
    const ref = await find(app, request)
    const html = await app.compat.maildev.view(request.access, { view: 'html', ref })
    if (html === null) return reply.code(404).send({ error: 'Email has no HTML content' })
    return reply.headers(MAIL_HEADERS).type('text/html; charset=utf-8').send(html)
  })

  for (const path of ['source', 'download'] as const) {
    http.get<MailParams>(`${prefix}/email/:id/${path}`, async (request, reply) => {
      const ref = await find(app, request)
      const bytes = await app.messages.raw(request.access.caller, ref)
      const filename = path === 'download' ? `${ref.messageId}.eml` : null
      return reply.headers(rawHeaders(filename)).send(bytes)
    })
  }

  http.get<{ readonly Params: { readonly id: string; readonly name: string } }>(
    `${prefix}/email/:id/attachment/:name`,
    { config: { isPartOfMail: true } },
    async (request, reply) => {
      const { access, params } = request
      const ref = await find(app, request)
      const attachmentId = await app.compat.mailbox.attachmentByName(access, {
        ref,
        name: params.name,
      })
      if (attachmentId === null) throw new ServiceError('attachment_not_found')
      const { attachment, bytes } = await app.messages.attachment(access.caller, {
        ...ref,
        attachmentId,
      })
      return reply.headers(inlineHeaders(attachment)).send(bytes)
    },
  )
}
