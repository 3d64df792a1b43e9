// The API of MailHog, versions 1 and 2. GET /api/v1/messages is Mailpit's; MailHog's is below
// /mailhog, as are all its other paths.

import { anyCase } from '@mayfly/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { App } from '../../../app/api.ts'
import { ServiceError } from '../../../errors.ts'
import { type Access, found, queryNumber, queryText, readJson } from './request.ts'
import { inlineHeaders, rawHeaders } from './untrusted.ts'

const PAGE = { default: 50, max: 250, v1: 1_000 } as const

type MessageParams = { readonly Params: { readonly id: string } }

type View = Parameters<App['compat']['mailhog']['view']>[1]
type ListPage = Omit<Extract<View, { readonly view: 'list' }>, 'view' | 'inboxIds'>

/** Registers the routes of MailHog's API. */
export function mailhogRoutes(http: FastifyInstance, app: App): void {
  for (const prefix of ['', '/mailhog']) {
    listRoutes(http, app, prefix)
    messageRoutes(http, app, prefix)
    jimRoutes(http, app, prefix)
    // Servers have no names, and are given by host and port.
    http.get(`${prefix}/api/v2/outgoing-smtp`, async () => ({}))
  }
  http.get('/mailhog/api/v1/messages', async ({ access }, reply) => {
    const page = { start: 0, limit: PAGE.v1, search: null, isBare: true }
    return send(reply, await list(app, access, page))
  })
  http.delete('/mailhog/api/v1/messages', async ({ access }, reply) => {
    await app.compat.mailbox.remove(access, { by: 'all' })
    return reply.send()
  })
}

function listRoutes(http: FastifyInstance, app: App, prefix: string): void {
  const page = (query: unknown) => ({
    start: queryNumber(query, 'start', 0),
    // 0 counts as none.
    limit: Math.min(queryNumber(query, 'limit', 0) || PAGE.default, PAGE.max),
    isBare: false,
  })

  http.get(`${prefix}/api/v2/messages`, async ({ access, query }, reply) =>
    send(reply, await list(app, access, { ...page(query), search: null })),
  )

  http.get(`${prefix}/api/v2/search`, async ({ access, query }, reply) => {
    const kind = queryText(query, 'kind')
    const text = queryText(query, 'query')
    if ((kind !== 'from' && kind !== 'to' && kind !== 'containing') || text === '') {
      return reply.code(400).send()
    }
    const search = { kind, query: text } as const
    return send(reply, await list(app, access, { ...page(query), search }))
  })
}

async function list(app: App, access: Access, page: ListPage): Promise<Uint8Array> {
  const { inboxIds } = access
  return found(await app.compat.mailhog.view(access, { view: 'list', inboxIds, ...page }))
}

function messageRoutes(http: FastifyInstance, app: App, prefix: string): void {
  http.get<MessageParams>(`${prefix}/api/v1/messages/:id`, async (request, reply) => {
    const named = { id: request.params.id, query: null }
    const ref = await app.compat.mailbox.resolve(request.access, named)
    const json = ref && (await app.compat.mailhog.view(request.access, { view: 'message', ref }))
    // MailHog's response for a message that does not exist.
    return send(reply, json ?? new TextEncoder().encode('null'))
  })

  http.delete<MessageParams>(`${prefix}/api/v1/messages/:id`, async (request, reply) => {
    const { access, params } = request
    const removed = await app.compat.mailbox.remove(access, { by: 'ids', ids: [params.id] })
    return reply.code(removed.length > 0 ? 200 : 500).send()
  })

  http.get<MessageParams>(`${prefix}/api/v1/messages/:id/download`, async (request, reply) => {
    const named = { id: request.params.id, query: null }
    const ref = found(await app.compat.mailbox.resolve(request.access, named))
    const bytes = await app.messages.raw(request.access.caller, ref)
    return reply.headers(rawHeaders(`${ref.messageId}.eml`)).send(bytes)
  })

  http.get<{ readonly Params: { readonly id: string; readonly part: string } }>(
    `${prefix}/api/v1/messages/:id/mime/part/:part/download`,
    async ({ access, params }, reply) => {
      const ref = await app.compat.mailbox.resolve(access, { id: params.id, query: null })
      const number = /^\d{1,4}$/.test(params.part) ? Number(params.part) : 0
      const attachmentId =
        ref === null ? null : await app.compat.mailbox.attachmentId(access, { ref, number })
      if (ref === null || attachmentId === null) throw new ServiceError('attachment_not_found')
      const { attachment, bytes } = await app.messages.attachment(access.caller, {
        ...ref,
        attachmentId,
      })
      return reply.headers(inlineHeaders(attachment)).send(bytes)
    },
  )

  http.post<MessageParams>(`${prefix}/api/v1/messages/:id/release`, async (request, reply) => {
    const { access, params, body } = request
    const parsed = releaseSchema.safeParse(readJson(body))
    if (!parsed.success) return reply.code(400).send()
    const ref = found(await app.compat.mailbox.resolve(access, { id: params.id, query: null }))
    const { host, port, email, username, password } = parsed.data
    const released = await app.compat.release(access, {
      ref,
      host: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
      recipients: [email],
      login: username === '' ? null : { user: username, pass: password },
    })
    if (released.state === 'sent') return reply.send()
    const status = released.state === 'failed' ? 500 : 403
    return reply.code(status).type('text/plain').send(`${released.reason}\n`)
  })
}

/** Not imitated: Jim closes no connections and slows none down. */
const JIM_REST = {
  ...{ DisconnectChance: 0, AcceptChance: 1 },
  ...{ LinkSpeedAffect: 0, LinkSpeedMin: 1024, LinkSpeedMax: 10_240 },
}

/** The chances of a Jim without a body. */
const JIM_DEFAULT = {
  RejectSenderChance: 0.05,
  RejectRecipientChance: 0.05,
  RejectAuthChance: 0.05,
}

const chance = z.number().default(0)
const jimSchema = anyCase({
  RejectSenderChance: chance,
  RejectRecipientChance: chance,
  RejectAuthChance: chance,
})

/** Jim, the chaos monkey: the faults of the catch-all inboxes. */
function jimRoutes(http: FastifyInstance, app: App, prefix: string): void {
  const path = `${prefix}/api/v2/jim`

  http.get(path, async ({ access }, reply) => {
    const jim = await app.compat.mailhog.jim(access)
    return jim === null ? reply.code(404).send() : { ...JIM_REST, ...jim }
  })

  http.post(path, async ({ access, body }, reply) => {
    if ((await app.compat.mailhog.jim(access)) !== null) return reply.code(400).send()
    const { data: jim = JIM_DEFAULT } = jimSchema.safeParse(readJson(body))
    await app.compat.mailhog.setJim(access, jim)
    return reply.code(201).send()
  })

  http.put(path, async ({ access, body }, reply) => {
    if ((await app.compat.mailhog.jim(access)) === null) return reply.code(404).send()
    const { data: jim } = jimSchema.safeParse(readJson(body))
    if (jim === undefined) return reply.code(400).send()
    await app.compat.mailhog.setJim(access, jim)
    return reply.send()
  })

  http.delete(path, async ({ access }, reply) => {
    if ((await app.compat.mailhog.jim(access)) === null) return reply.code(404).send()
    await app.compat.mailhog.setJim(access, null)
    return reply.send()
  })
}

/** The body of a release. */
const releaseSchema = anyCase({
  host: z.string().min(1),
  port: z.union([z.string(), z.int()]).transform(String),
  email: z.string(),
  username: z.string().default(''),
  password: z.string().default(''),
})

function send(reply: FastifyReply, json: Uint8Array): FastifyReply {
  return reply.type('text/json').send(json)
}
