// The API of Mailpit 1.30: paths, names and quirks are Mailpit's.

import { anyCase } from '@mayfly/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { App } from '../../../app/api.ts'
import { ServiceError } from '../../../errors.ts'
import { BodyMemory } from '../../../platform/request-body/body-memory.ts'
import { clientGone, sendJson } from '../../route.ts'
import { STATUS_CODES } from '../../status-codes.ts'
import { found, queryNumber, queryText, readJson } from './request.ts'
import { inlineHeaders, MAIL_HEADERS, rawHeaders } from './untrusted.ts'

/** The version of Mailpit whose API this is; clients require a minimum. */
export const MAILPIT_VERSION = 'v1.30.5'

/** Largest body of a mail to send: 25 MiB in base64, and some text. */
const SEND_BYTES_MAX = 36 * 1024 * 1024

/** Bodies of mails to send that are in memory: of one account two of the largest. */
const SENDING = { bytesMax: 128 * 1024 * 1024, accountBytesMax: 2 * SEND_BYTES_MAX }

const PAGE_DEFAULT = 50

type MessageParams = { readonly Params: { readonly id: string } }
type PartParams = { readonly Params: { readonly id: string; readonly part: string } }
type View = Parameters<App['compat']['mailpit']['view']>[1]['view']
type Ref = NonNullable<Awaited<ReturnType<App['compat']['mailbox']['resolve']>>>

/** Registers the routes of Mailpit's API. */
export function mailpitRoutes(http: FastifyInstance, app: App): void {
  listRoutes(http, app)
  messageRoutes(http, app)
  partRoutes(http, app)
  viewRoutes(http, app)
  tagRoutes(http, app)
  serviceRoutes(http, app)
  http.register(async (scope) => sendRoute(scope, app))
  chaosRoutes(http, app)
}

const ids = z.array(z.string()).nullish()
const deleteSchema = anyCase({ IDs: ids }).catch({ IDs: null })
const readSchema = anyCase({
  Read: z.boolean().default(false),
  IDs: ids,
  Search: z.string().nullish(),
})

const releaseSchema = anyCase({ To: z.array(z.string()) })

function listRoutes(http: FastifyInstance, app: App): void {
  http.get('/api/v1/messages', async ({ access, query }, reply) =>
    sendJson(reply, await app.compat.mailpit.list(access, { ...pageOf(query), query: null })),
  )

  http.put('/api/v1/messages', async ({ access, body }, reply) => {
    const parsed = readSchema.safeParse(readJson(body))
    if (!parsed.success) return bad(reply, 'Error: invalid JSON')
    const { Read: read, IDs, Search } = parsed.data
    const hasIds = (IDs ?? []).length > 0
    if (hasIds && Search) return bad(reply, 'Error: you may only use IDs or Search, not both')
    await app.compat.mailbox.mark(access, { selection: selectionOf(IDs, Search), read })
    return ok(reply)
  })

  // MailHog has the same call. Its client for Node, which sends neither of these headers, parses a
  // body as JSON; those of Mailpit expect `ok`.
  http.delete('/api/v1/messages', async ({ access, body, headers }, reply) => {
    const { IDs } = deleteSchema.parse(readJson(body) ?? {})
    await app.compat.mailbox.remove(access, selectionOf(IDs, null))
    const isMailHogClient = headers['user-agent'] === undefined && headers.accept === undefined
    return isMailHogClient ? reply.send() : ok(reply)
  })

  http.get('/api/v1/search', async ({ access, query }, reply) => {
    const text = queryText(query, 'query').trim()
    if (text === '') return bad(reply, 'Error: no search query')
    return sendJson(reply, await app.compat.mailpit.list(access, { ...pageOf(query), query: text }))
  })

  http.delete('/api/v1/search', async ({ access, query }, reply) => {
    const text = queryText(query, 'query').trim()
    if (text === '') return bad(reply, 'Error: no search query')
    await app.compat.mailbox.remove(access, { by: 'search', query: text })
    return ok(reply)
  })
}

function messageRoutes(http: FastifyInstance, app: App): void {
  const { find, send } = messageCalls(app)

  http.get<MessageParams>('/api/v1/message/:id', async (request, reply) => {
    const ref = await find(request)
    const json = await app.compat.mailpit.view(request.access, { view: 'message', ref })
    await app.compat.mailbox.mark(request.access, {
      selection: { by: 'ids', ids: [ref.messageId] },
      read: true,
    })
    return sendJson(reply, found(json))
  })

  http.get<MessageParams>('/api/v1/message/:id/headers', async (request, reply) =>
    send(request, reply, 'headers'),
  )

  http.get<MessageParams>('/api/v1/message/:id/raw', async (request, reply) => {
    const ref = await find(request)
    const bytes = await app.messages.raw(request.access.caller, ref)
    const isDownload = queryText(request.query, 'dl') !== ''
    return reply.headers(rawHeaders(isDownload ? `${ref.messageId}.eml` : null)).send(bytes)
  })

  http.get<MessageParams>('/api/v1/message/:id/html-check', async (request, reply) => {
    const ref = await find(request)
    const json = await app.compat.mailpit.view(request.access, { view: 'html-check', ref })
    return json === null ? bad(reply, 'message does not contain HTML') : sendJson(reply, json)
  })

  http.get<MessageParams>('/api/v1/message/:id/link-check', async (request, reply) => {
    const ref = await find(request)
    const follow = queryText(request.query, 'follow')
    const checked = await app.compat.mailpit.checkLinks(request.access, {
      ref,
      followsRedirects: follow === 'true' || follow === '1',
      gone: clientGone(reply),
    })
    const Links = checked.map(({ url, status, detail }) => ({
      ...{ URL: url, StatusCode: status, Status: detail ?? STATUS_CODES[status] ?? '' },
    }))
    const isError = ({ StatusCode }: { StatusCode: number }) =>
      StatusCode === 0 || StatusCode >= 400
    return { Errors: Links.filter(isError).length, Links }
  })

  // As in a Mailpit without SpamAssassin.
  http.get<MessageParams>('/api/v1/message/:id/sa-check', async (_request, reply) =>
    reply.code(404).type('text/plain; charset=utf-8').send('File not found\n'),
  )

  http.post<MessageParams>('/api/v1/message/:id/release', async (request, reply) => {
    const ref = await find(request)
    const parsed = releaseSchema.safeParse(readJson(request.body))
    if (!parsed.success) return bad(reply, 'Error: no recipients specified')
    const released = await app.compat.release(request.access, {
      ref,
      host: null,
      recipients: parsed.data.To,
      login: null,
    })
    return released.state === 'sent' ? ok(reply) : bad(reply, released.reason)
  })
}

/** Calls about one message, which is named by its id or as `latest`. */
function messageCalls(app: App) {
  const find = async ({ access, params, query }: FastifyRequest<MessageParams>): Promise<Ref> => {
    const text = queryText(query, 'query').trim()
    const named = { id: params.id, query: text === '' ? null : text }
    return found(await app.compat.mailbox.resolve(access, named))
  }
  const send = async (
    request: FastifyRequest<MessageParams>,
    reply: FastifyReply,
    view: Exclude<View, 'list'>,
  ) => {
    const shown = { view, ref: await find(request) }
    return sendJson(reply, found(await app.compat.mailpit.view(request.access, shown)))
  }
  return { find, send }
}

function partRoutes(http: FastifyInstance, app: App): void {
  const { find } = messageCalls(app)
  const findPart = async (request: FastifyRequest<PartParams>) => {
    const ref = await find(request)
    const number = /^\d{1,4}$/.test(request.params.part) ? Number(request.params.part) : 0
    const attachmentId = await app.compat.mailbox.attachmentId(request.access, { ref, number })
    if (attachmentId === null) throw new ServiceError('attachment_not_found')
    return { ...ref, attachmentId }
  }

  const config = { isPartOfMail: true }
  http.get<PartParams>('/api/v1/message/:id/part/:part', { config }, async (request, reply) => {
    const { caller } = request.access
    const { attachment, bytes } = await app.messages.attachment(caller, await findPart(request))
    return reply.headers(inlineHeaders(attachment)).send(bytes)
  })

  http.get<PartParams>('/api/v1/message/:id/part/:part/thumb', async (request, reply) => {
    const ref = await findPart(request)
    const { attachment, bytes } = await app.compat.mailpit.thumbnail(request.access, ref)
    return reply.headers(inlineHeaders({ ...attachment, contentType: 'image/jpeg' })).send(bytes)
  })
}

function viewRoutes(http: FastifyInstance, app: App): void {
  const show = async (request: FastifyRequest<MessageParams>, reply: FastifyReply) => {
    const [, id = '', form] = /^([\w-]+)(?:\.(html|txt))?$/.exec(request.params.id) ?? []
    const text = queryText(request.query, 'query').trim()
    const named = { id, query: text === '' ? null : text }
    const ref = found(await app.compat.mailbox.resolve(request.access, named))
    if (form === undefined) return reply.redirect(`/view/${ref.messageId}.html`)
    const view = form === 'html' ? 'html' : 'text'
    const body = found(await app.compat.mailpit.view(request.access, { view, ref }))
    const type = form === 'html' ? 'text/html' : 'text/plain'
    return reply.headers(MAIL_HEADERS).type(`${type}; charset=utf-8`).send(body)
  }
  // A client joins its base URL with a slash to a path that begins with one.
  for (const path of ['/view/:id', '//view/:id']) http.get<MessageParams>(path, show)
}

const tagsSchema = anyCase({ IDs: ids, Tags: z.array(z.string()).nullish() })
const nameSchema = anyCase({ Name: z.string().trim().min(1) })

function tagRoutes(http: FastifyInstance, app: App): void {
  type TagParams = { readonly Params: { readonly tag: string } }

  http.get('/api/v1/tags', async ({ access }) => [
    ...(await app.compat.mailpit.tags(access)).keys(),
  ])

  http.put('/api/v1/tags', async ({ access, body }, reply) => {
    const parsed = tagsSchema.safeParse(readJson(body))
    if (!parsed.success) return bad(reply, 'Error: invalid JSON')
    const { IDs, Tags } = parsed.data
    await app.compat.mailpit.setTags(access, { ids: IDs ?? [], tags: Tags ?? [] })
    return ok(reply)
  })

  http.put<TagParams>('/api/v1/tags/:tag', async ({ access, params, body }, reply) => {
    const parsed = nameSchema.safeParse(readJson(body))
    if (!parsed.success) return bad(reply, 'Error: invalid JSON')
    const isFound = await app.compat.mailpit.renameTag(access, {
      tag: params.tag,
      replacement: parsed.data.Name,
    })
    return isFound ? ok(reply) : bad(reply, `tag not found: ${params.tag}`)
  })

  http.delete<TagParams>('/api/v1/tags/:tag', async ({ access, params: { tag } }, reply) => {
    const isFound = await app.compat.mailpit.renameTag(access, { tag, replacement: null })
    return isFound ? ok(reply) : bad(reply, `tag not found: ${tag}`)
  })
}

/** In a scope of its own: the body is read by the handler, which knows when it is done with it. */
function sendRoute(http: FastifyInstance, app: App): void {
  const bodyMemory = new BodyMemory(SENDING)
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('*', (_request, _payload, done) => done(null))
  http.post('/api/v1/send', async ({ access, raw, ip }, reply) => {
    const own = { owner: access.caller.accountId, payload: raw, bytesMax: SEND_BYTES_MAX }
    const sent = await bodyMemory.whileReserved(own, (body) =>
      app.compat.mailpit.send(access, { body, remoteAddress: ip }),
    )
    if (sent.state === 'stored') return { ID: sent.messageId }
    return reply.code(400).send({ Error: sent.reason })
  })
}

function serviceRoutes(http: FastifyInstance, app: App): void {
  http.get('/api/v1/info', async ({ access }) => {
    const { total, unread } = await app.compat.mailbox.count(access)
    const tags = await app.compat.mailpit.tags(access)
    return {
      Version: MAILPIT_VERSION,
      LatestVersion: MAILPIT_VERSION,
      Database: 'mayfly',
      DatabaseSize: 0,
      Messages: total,
      Unread: unread,
      Tags: Object.fromEntries(tags),
      RuntimeStats: {
        Uptime: app.compat.mailpit.uptimeSeconds(),
        Memory: process.memoryUsage.rss(),
        MessagesDeleted: 0,
        SMTPAccepted: 0,
        SMTPAcceptedSize: 0,
        SMTPRejected: 0,
        SMTPIgnored: 0,
      },
    }
  })

  http.get('/api/v1/webui', async () => ({
    Label: 'Mayfly',
    MessageRelay: {
      Enabled: app.compat.releaseHosts.length > 0,
      SMTPServer: app.compat.releaseHosts[0] ?? '',
      ReturnPath: '',
      AllowedRecipients: '',
      BlockedRecipients: '',
      OverrideFrom: '',
      PreserveMessageIDs: true,
      RecipientAllowlist: '',
    },
    SpamAssassin: false,
    ChaosEnabled: true,
    DuplicatesIgnored: false,
    HideDeleteAllButton: false,
  }))
}

const trigger = (code: number) =>
  anyCase({
    ErrorCode: z.int().min(400).max(599).default(code),
    Probability: z.int().min(0).max(100).default(0),
  }).prefault({})

const triggersSchema = anyCase({
  Sender: trigger(451),
  Recipient: trigger(451),
  Authentication: trigger(535),
}).prefault({})

function chaosRoutes(http: FastifyInstance, app: App): void {
  http.get('/api/v1/chaos', async ({ access }) => app.compat.mailpit.chaos(access))

  http.put('/api/v1/chaos', async ({ access, body }, reply) => {
    const parsed = triggersSchema.safeParse(readJson(body) ?? {})
    if (!parsed.success) return bad(reply, 'error code must be between 400 and 599')
    return app.compat.mailpit.setChaos(access, parsed.data)
  })
}

function pageOf(query: unknown): { readonly start: number; readonly limit: number } {
  return {
    start: queryNumber(query, 'start', 0),
    limit: queryNumber(query, 'limit', PAGE_DEFAULT),
  }
}

function selectionOf(
  given: readonly string[] | null | undefined,
  search: string | null | undefined,
) {
  if (given !== null && given !== undefined && given.length > 0) {
    return { by: 'ids', ids: given } as const
  }
  return search ? ({ by: 'search', query: search } as const) : ({ by: 'all' } as const)
}

function ok(reply: FastifyReply): FastifyReply {
  return reply.type('text/plain').send('ok')
}

function bad(reply: FastifyReply, text: string): FastifyReply {
  return reply.code(400).type('text/plain; charset=utf-8').send(text)
}
