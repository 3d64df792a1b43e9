import type { InboxId } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
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

/** An event, and where the stream is after it. */
type PositionedEvent = Omit<StreamEvent, 'id'> & { readonly at: Position }

/** Events read at a time. */
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
  return follow(deps, caller, { request, start, subscription, held: opened.move() })
}

async function* follow(
  deps: StreamDeps,
  caller: Caller,
  from: {
    readonly request: StreamRequest
    readonly start: Position
    readonly subscription: Subscription
    /** What the stream gives back when it ends. */
    readonly held: AsyncDisposable
  },
): AsyncGenerator<StreamEvent> {
  const { request, subscription } = from
  await using _held = from.held
  let position = from.start
  const { inboxId } = request
  let isFirst = true
  while (!request.gone.aborted) {
    const look = () => eventsAfter(deps, caller, { inboxId, position })
    const key = `stream ${subscription.wakeNumber} ${inboxId} ${position.sequence}.${position.stage}`
    const events = isFirst ? await look() : await deps.singleFlight.run(key, look)
    isFirst = false
    for (const { at, ...event } of events) {
      subscription.throwIfEnded()
      position = at
      yield { id: `${at.sequence}.${at.stage}`, ...event }
    }
    if (events.length === 0) await subscription.next(request.gone)
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

async function eventsAfter(
  deps: StreamDeps,
  caller: Caller,
  from: { readonly inboxId: InboxId; readonly position: Position },
): Promise<PositionedEvent[]> {
  const { inboxId, position } = from
  const exists = await deps.store.inboxes.lastSequence(caller.accountId, inboxId)
  if (exists === null) throw new ServiceError('inbox_not_found')
  const messages = await deps.store.messages.listAfter(caller.accountId, inboxId, {
    after: position.sequence,
    limit: PAGE,
  })
  const stages = await deps.store.diagnostics.listAfter(inboxId, position.stage, PAGE)
  let at = position
  const events: PositionedEvent[] = []
  for (const { sequence, ...message } of messages) {
    at = { ...at, sequence }
    events.push({ at, event: 'message', json: JSON.stringify(message) })
  }
  for (const { id, stage, at: time, detail } of stages) {
    at = { ...at, stage: id }
    events.push({ at, event: 'stage', json: JSON.stringify({ stage, at: time, detail }) })
  }
  return events
}
