import type { InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import { earlierId } from '../../sortable-id.ts'
import { LATE_MS, STAGES_MAX, StageCursor } from '../../stage-cursor.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { StoredDiagnosticEvent } from '../../store/tables/diagnostics.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { SingleFlight } from './single-flight.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/** What streaming needs. */
export type StreamDeps = {
  readonly store: Tables
  readonly subscriptions: Subscriptions<InboxId>
  /** Counts towards the account's concurrent waits until it is disposed of. */
  readonly takeStreamSlot: (caller: Caller) => Promise<AsyncDisposable>
  readonly singleFlight: SingleFlight
}

/** A stream of what happens in an inbox. */
export type StreamRequest = {
  readonly inboxId: InboxId
  readonly lastEventId: string | null
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** One event of a stream; a stream can be resumed after its `id`. */
export type StreamEvent = { readonly id: string; readonly event: string; readonly json: string }

/** The last events that a client has: the number of a message and the id of a stage. */
type Position = { readonly sequence: number; readonly stage: string }

/** Messages and stages as they were read; several streams may share them. */
type Found = {
  readonly messages: readonly { readonly sequence: number; readonly json: string }[]
  readonly stages: readonly StoredDiagnosticEvent[]
}

/** Messages read at a time. */
const PAGE = 100

/** Opens the stream of what happens in an inbox; throws when the caller has no such inbox. */
export async function openStream(
  deps: StreamDeps,
  caller: Caller,
  request: StreamRequest,
): Promise<AsyncGenerator<StreamEvent>> {
  await using opened = new AsyncDisposableStack()
  opened.use(await deps.takeStreamSlot(caller))
  const subscription = deps.subscriptions.subscribe(request.inboxId, caller)
  opened.defer(() => subscription.close())
  const start = await startPosition(deps, caller, request)
  const cursor = await cursorAt(deps, request.inboxId, start.stage)
  return follow(deps, caller, { request, start, cursor, subscription, held: opened.move() })
}

async function* follow(
  deps: StreamDeps,
  caller: Caller,
  from: {
    readonly request: StreamRequest
    readonly start: Position
    readonly cursor: StageCursor
    readonly subscription: Subscription
    /** What the stream gives back when it ends. */
    readonly held: AsyncDisposable
  },
): AsyncGenerator<StreamEvent> {
  const { request, cursor, subscription } = from
  await using _held = from.held
  let { sequence, stage } = from.start
  const { inboxId } = request
  let isFirst = true
  while (!request.gone.aborted) {
    const after = { sequence, stage: cursor.after }
    const look = () => findAfter(deps, caller, { inboxId, after })
    const key = `stream ${subscription.wakeNumber} ${inboxId} ${after.sequence}.${after.stage}`
    const { messages, stages } = isFirst ? await look() : await deps.singleFlight.run(key, look)
    isFirst = false
    const untold = cursor.take(stages)
    for (const message of messages) {
      subscription.throwIfEnded()
      sequence = message.sequence
      yield { id: `${sequence}.${stage}`, event: 'message', json: message.json }
    }
    for (const { id, stage: name, at, detail } of untold) {
      subscription.throwIfEnded()
      // Never back: a stream that is resumed there would get later ones again.
      if (id > stage) stage = id
      const json = JSON.stringify({ stage: name, at, detail })
      yield { id: `${sequence}.${stage}`, event: 'stage', json }
    }
    if (messages.length + untold.length === 0) await subscription.next(request.gone)
  }
}

async function startPosition(
  deps: StreamDeps,
  caller: Caller,
  request: StreamRequest,
): Promise<Position> {
  const sequence = await deps.store.inboxes.lastSequence(caller.accountId, request.inboxId)
  if (sequence === null) throw new ServiceError('inbox_not_found')
  const [, number, stage] = /^(\d{1,15})\.([\w]{0,40})$/.exec(request.lastEventId ?? '') ?? []
  if (number !== undefined) return { sequence: Number(number), stage: stage ?? '' }
  const newest = await deps.store.diagnostics.newestId(request.inboxId)
  return { sequence, stage: newest ?? '' }
}

/** A cursor that passes over the stages up to this one that are stored now, but no later ones. */
async function cursorAt(deps: StreamDeps, inboxId: InboxId, stage: string): Promise<StageCursor> {
  const cursor = new StageCursor(earlierId(stage, LATE_MS))
  const stored = await deps.store.diagnostics.listAfter(inboxId, cursor.after, STAGES_MAX)
  cursor.take(stored.filter(({ id }) => id <= stage))
  return cursor
}

async function findAfter(
  deps: StreamDeps,
  caller: Caller,
  from: { readonly inboxId: InboxId; readonly after: Position },
): Promise<Found> {
  const { inboxId, after } = from
  const exists = await deps.store.inboxes.lastSequence(caller.accountId, inboxId)
  if (exists === null) throw new ServiceError('inbox_not_found')
  const messages = await deps.store.messages.listAfter(caller.accountId, inboxId, {
    after: after.sequence,
    limit: PAGE,
  })
  return {
    messages: messages.map(({ sequence, ...message }) => ({
      sequence,
      json: JSON.stringify(message),
    })),
    stages: await deps.store.diagnostics.listAfter(inboxId, after.stage, STAGES_MAX),
  }
}
