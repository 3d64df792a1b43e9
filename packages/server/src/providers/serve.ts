// The path of a call: provider → key → rate → body → thread (read, compose) → place → fault → store
// → answer.

import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { App } from '../app/api.ts'
import type { Log } from '../platform/log.ts'
import type { BodyMemory } from '../platform/request-body/body-memory.ts'
import type {
  Answer,
  Headers,
  Item,
  ItemResult,
  Outcome,
  OutgoingMail,
  Provider,
  Refusal,
} from './provider.ts'
import { atRoot, byPrefix, findRoute, type Matched, PREFIX, type Target } from './recognise.ts'
import { CallRefused, missingKey, toRefusal, unknownPath, unknownProvider } from './refusals.ts'
import { PROVIDERS } from './registry.ts'
import type { CallOutcome, CallRequest } from './run-call.ts'

/** A request as the listeners pass it on. */
type ApiRequest = {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly payload: IncomingMessage
  readonly remoteAddress: string
  /** The URL at whose root all providers are; null where each has its prefix. */
  readonly rootUrl: string | null
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal
}

/** Answers calls of providers' APIs. */
export type HandleProvider = (request: ApiRequest) => Promise<Answer>

/** The dependencies of the calls. */
export type ApiDeps = {
  readonly app: Pick<App, 'providers' | 'limits'>
  readonly log: Pick<Log, 'error'>
  readonly now: () => number
  readonly baseUrl: () => string
  /** Reads a call in a thread that may be ended. */
  readonly runCall: (
    owner: Access['caller']['accountId'],
    request: CallRequest,
  ) => Promise<CallOutcome>
  readonly bodyMemory: BodyMemory
}

type Access = Awaited<ReturnType<App['providers']['access']>>
type Placement = Awaited<ReturnType<App['providers']['place']>>[number]

/** A call whose provider and route are known. */
type KnownCall = {
  readonly request: ApiRequest
  readonly target: Target
  readonly matched: Matched
}

/** Most of a body that is searched for a key or for addresses. */
const EDGE_BYTES = 16 * 1024

/** Creates the function that answers calls. */
export function createProviderApis(deps: ApiDeps): HandleProvider {
  return async (request) => {
    const { method, url, rootUrl } = request
    const target = rootUrl === null ? byPrefix(url, PROVIDERS) : atRoot(request, PROVIDERS)
    if (target === null) {
      const where = rootUrl === null ? 'This path names no provider' : 'No provider has this path'
      return unknownProvider(where, deps.baseUrl())
    }
    const { provider, path } = target
    const matched = findRoute(provider.routes, method, path)
    try {
      if (matched === null) throw unknownPath(target, method, baseUrlOf(deps, request, provider))
      return await answerCall(deps, { request, target, matched })
    } catch (error) {
      const refusal = toRefusal(deps.log, request, error)
      const answer = provider.refuse(refusal, { path, id: request.id })
      return { ...answer, headers: { ...retryHeaders(provider, refusal), ...answer.headers } }
    }
  }
}

const baseUrlOf = ({ baseUrl }: ApiDeps, { rootUrl }: ApiRequest, { name }: Provider) =>
  rootUrl ?? `${baseUrl()}${PREFIX}${name}/`

function retryHeaders({ rateHeaders }: Provider, { retryAfterSeconds, rate }: Refusal) {
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(rate === undefined ? {} : rateHeaders?.(rate)),
  }
}

async function answerCall(deps: ApiDeps, call: KnownCall): Promise<Answer> {
  const { request, target } = call
  const { provider } = target
  const key = provider.key(request.headers, new URLSearchParams(target.query))
  if (key === null && provider.keyInBody === undefined) throw missingKey(provider)
  // A key in the body is known only when that is read.
  const access = key === null || key === provider.testKey ? null : await admit(deps, call, key)
  const owner = access?.access.caller.accountId ?? NO_ACCOUNT
  const own = { owner, payload: request.payload, bytesMax: provider.bodyBytesMax }
  const answer = await deps.bodyMemory.whileReserved(own, async (body) => {
    if (key !== null) return runCall(deps, call, { key, access: access?.access ?? null, body })
    const found = provider.keyInBody?.(edgesOf(body)) ?? null
    if (found === null) throw missingKey(provider)
    const { access: later } = await admit(deps, call, found)
    return runCall(deps, call, { key: found, access: later, body })
  })
  return { ...answer, headers: { ...access?.headers, ...answer.headers } }
}

/** Whose memory a body takes whose key is not known yet. */
const NO_ACCOUNT = 'acc_none' as Access['caller']['accountId'] // No account has this id.

/** Checks the key and the rate of a call. */
async function admit(
  { app, now }: ApiDeps,
  { target: { provider } }: KnownCall,
  key: string,
): Promise<{ readonly access: Access; readonly headers: Readonly<Record<string, string>> }> {
  const access = await app.providers.access(key)
  const rate = await app.limits.consumeRequest(access.caller)
  if (rate === null) return countCall(app, access, {})
  const rest = { ...rate, resetAt: Math.ceil(now() / 1000) + rate.resetSeconds }
  if (rate.refusal === null) return countCall(app, access, provider.rateHeaders?.(rest) ?? {})
  const { refusal: message, resetSeconds: retryAfterSeconds } = rate
  throw new CallRefused({
    why: 'rate_limited',
    status: 429,
    message,
    retryAfterSeconds,
    rate: rest,
  })
}

function countCall(app: ApiDeps['app'], access: Access, headers: Readonly<Record<string, string>>) {
  app.limits.countRequest(access.caller)
  return { access, headers }
}

type Admitted = { readonly key: string; readonly access: Access | null; readonly body: Buffer }

/** Runs a call in the thread; once more when it names files of other servers. */
async function readCall(
  deps: ApiDeps,
  { request, target, matched }: KnownCall,
  { key, access, body }: Admitted,
): Promise<Exclude<CallOutcome, { state: 'needs' }>> {
  const owner = access?.caller.accountId ?? NO_ACCOUNT
  const { name, routes } = target.provider
  const call = {
    ...{ id: request.id, provider: name, route: routes.indexOf(matched.route), key, files: [] },
    ...{ params: matched.params, method: request.method, path: target.path, query: target.query },
    ...{ rawUrl: request.url, headers: request.headers, now: deps.now() },
    isOpen: access?.isOpen ?? true,
    baseUrl: baseUrlOf(deps, request, target.provider),
    // A body is a buffer of its own.
    body: new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength),
  }
  const outcome = await deps.runCall(owner, call)
  if (outcome.state !== 'needs') return outcome
  const files = await deps.app.providers.fetchFiles(owner, {
    urls: outcome.urls,
    signal: request.gone,
  })
  const again = await deps.runCall(owner, {
    ...call,
    files,
    body: outcome.body,
    id: `${call.id} with files`,
  })
  if (again.state === 'needs') throw new Error('a call needs files that it has')
  return again
}

/** Runs a call in the thread, and sends its mails. */
async function runCall(deps: ApiDeps, call: KnownCall, admitted: Admitted): Promise<Answer> {
  const { access } = admitted
  const outcome = await readCall(deps, call, admitted)
  if (outcome.state === 'rejected') {
    if (access !== null && outcome.answer.status >= 400) {
      const inboxIds = await deps.app.providers.concerned(access, outcome.addresses)
      await recordRefusal(deps, call, { ...outcome, inboxIds, status: outcome.answer.status })
    }
    return outcome.answer
  }
  if (access !== null) await noteUnsent(deps, call, { access, ...outcome })
  if (access === null)
    return 'items' in outcome.outcome
      ? joined(call, outcome.outcome.items.map(passed))
      : outcome.outcome.answer
  try {
    return await send(deps, call, { access, ...outcome })
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error
    const { inboxIds, refusal } = error
    await recordRefusal(deps, call, { inboxIds, status: refusal.status, reason: refusal.message })
    throw error
  }
}

/** Records why a call that succeeds sends nothing. */
async function noteUnsent(
  { app }: ApiDeps,
  { request, target }: KnownCall,
  { access, outcome, operation, addresses }: Sent,
): Promise<void> {
  const { note, failure } = 'items' in outcome ? {} : outcome
  const reason = failure ?? note
  if (reason === undefined) return
  const detail = `${target.provider.name} ${operation}: ${reason} (request ${request.id})`
  const stage = failure === undefined ? 'provider.accepted' : 'provider.refused'
  await app.providers.record(await app.providers.concerned(access, addresses), { stage, detail })
}

const passed = (item: Item): ItemResult =>
  'rejected' in item ? { rejected: item.rejected } : { accepted: item.accepted }

type Sent = Extract<CallOutcome, { state: 'done' }> & { readonly access: Access }

async function send(deps: ApiDeps, call: KnownCall, sent: Sent): Promise<Answer> {
  const { outcome } = sent
  const items: readonly Item[] =
    'items' in outcome ? outcome.items : [{ mails: outcome.mails ?? [], accepted: null }]
  const mails = items.flatMap((item) => ('mails' in item ? item.mails : []))
  const token = 'items' in outcome ? undefined : outcome.once
  const keep = async (answer: Answer | null) => {
    if (token === undefined) return
    await deps.app.providers.keepAnswer(sent.access.caller.accountId, { token, answer })
  }
  try {
    await noteRejected(deps, call, { ...sent, items, mails })
    const results =
      mails.length === 0
        ? items.map(passed)
        : await sendItems(deps, call, { ...sent, items, mails })
    const answer = 'items' in outcome ? joined(call, results) : single(outcome, results)
    await keep(answer)
    return answer
  } catch (error) {
    // So that the call can be repeated.
    await keep(null)
    throw error
  }
}

type SentItems = Sent & { readonly items: readonly Item[]; readonly mails: readonly OutgoingMail[] }

/** Records why some items of a call are not sent. */
async function noteRejected(
  deps: ApiDeps,
  call: KnownCall,
  { access, items, mails, addresses }: SentItems,
): Promise<void> {
  const reasons = items.flatMap((item) => ('rejected' in item ? [item.reason] : []))
  if (reasons.length === 0) return
  const known = [...addresses, ...mails.flatMap(({ recipients }) => recipients)]
  const inboxIds = await deps.app.providers.concerned(access, known.slice(0, CONCERNED_MAX))
  await recordRefusal(deps, call, { inboxIds, status: 200, reason: reasons.join('; ') })
}

/** Addresses of a call whose inboxes are looked up. */
const CONCERNED_MAX = 50

async function sendItems(
  deps: ApiDeps,
  call: KnownCall,
  sent: SentItems,
): Promise<readonly ItemResult[]> {
  const { app } = deps
  const { access, items, mails, operation, unknownFields, recorded } = sent
  const placements = await app.providers.place(
    access,
    mails.map(({ recipients, mayBeLoose = false }) => ({ recipients, mayBeLoose })),
  )
  await injectFault(deps, call, { ...sent, placements })
  const byMail = new Map(mails.map((mail, i) => [mail, placements[i]]))
  const name = call.target.provider.name
  const take = async (mail: OutgoingMail, placement: Exclude<Placement, { state: 'refused' }>) => {
    const { id, tags, metadata, scheduledAt } = mail
    const recordedCall = {
      name,
      operation,
      id,
      tags: [...tags],
      metadata,
      scheduledAt,
      request: recorded,
    }
    const taken = await app.providers.take(access, {
      mail: { ...mail, mayBeLoose: mail.mayBeLoose ?? false, call: recordedCall, unknownFields },
      placement,
      remoteAddress: call.request.remoteAddress,
    })
    if (taken === 'taken') return
    throw new CallRefused({ why: 'full', status: 507, message: taken.refused }, taken.inboxIds)
  }
  const isJoined = 'items' in sent.outcome
  return Promise.all(
    items.map(async (item): Promise<ItemResult> => {
      if ('rejected' in item) return passed(item)
      try {
        const placed = item.mails.map((mail) => [mail, mustBePlaced(byMail.get(mail))] as const)
        await Promise.all(placed.map(([mail, placement]) => take(mail, placement)))
        return { accepted: item.accepted }
      } catch (error) {
        if (!(error instanceof CallRefused) || !isJoined) throw error
        await recordRefusal(deps, call, {
          inboxIds: error.inboxIds,
          status: 200,
          reason: error.message,
        })
        return { refusal: error.refusal }
      }
    }),
  )
}

function mustBePlaced(placement: Placement | undefined): Exclude<Placement, { state: 'refused' }> {
  if (placement === undefined) throw new Error('a mail has no placement')
  if (placement.state !== 'refused') return placement
  const { why, message, inboxIds } = placement
  throw new CallRefused({ why, status: 403, message }, inboxIds)
}

/** Answers with a fault rule of an inbox, or waits as it says. */
async function injectFault(
  { app, now }: ApiDeps,
  { request, target }: KnownCall,
  { placements, mails, operation }: SentItems & { readonly placements: readonly Placement[] },
): Promise<void> {
  const { remoteAddress, id } = request
  const sender = {
    mailFrom: mails[0]?.mailFrom ?? '',
    remoteAddress,
    call: `${target.provider.name} ${operation}, ${id},`,
  }
  const rule = await app.providers.fault(placements, sender)
  if (rule === null) return
  const { code, delayMs, text: message, retryAfterSeconds } = rule
  if (delayMs !== null) await delay(delayMs, undefined, { signal: request.gone })
  if (code === null) return
  // Its own event is recorded when the rule is used.
  if (retryAfterSeconds === null) throw new CallRefused({ why: 'fault', status: code, message })
  const resetAt = Math.ceil(now() / 1000) + retryAfterSeconds
  const rate = { limit: 1, remaining: 0, resetSeconds: retryAfterSeconds, resetAt }
  const own = code === 429 ? { rate } : {}
  throw new CallRefused({ why: 'fault', status: code, message, retryAfterSeconds, ...own })
}

function single(
  outcome: Extract<Outcome, { answer: Answer }>,
  [result]: readonly ItemResult[],
): Answer {
  if (result !== undefined && 'refusal' in result) throw new CallRefused(result.refusal)
  return outcome.answer
}

function joined({ matched }: KnownCall, results: readonly ItemResult[]): Answer {
  const { join } = matched.route
  if (join === undefined)
    throw new Error(`${matched.route.path} has items, and no function to join them`)
  return join(results)
}

type Recorded = {
  readonly inboxIds: CallRefused['inboxIds']
  readonly status: number
  readonly reason: string
}

/** Records a refusal; the same as of any other inbox when that fails. */
async function recordRefusal(
  { app, log }: ApiDeps,
  { request, target }: KnownCall,
  { inboxIds, status, reason }: Recorded,
): Promise<void> {
  const { name } = target.provider
  const detail = `${name} ${request.method} ${target.path}: ${status}, ${reason} (request ${request.id} from ${request.remoteAddress})`
  const event = { stage: 'provider.refused', detail: detail.slice(0, DETAIL_LENGTH_MAX) } as const
  await app.providers
    .record(inboxIds, event)
    .catch((error: unknown) => log.error({ err: error }, 'a refused call could not be recorded'))
}

/** A message may quote what the caller sent. */
const DETAIL_LENGTH_MAX = 1_000

function edgesOf(body: Buffer): string {
  return (
    body.subarray(0, EDGE_BYTES).toString('latin1') + body.subarray(-EDGE_BYTES).toString('latin1')
  )
}
