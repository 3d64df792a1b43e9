import type { DiagnosticEvent, InboxId, MessageSummary } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/open.ts'
import type { Caller } from '../accounts/authenticate.ts'
import type { Arrivals, Subscription } from './arrivals.ts'

/** What streaming needs. */
export type StreamDeps = { readonly store: Tables; readonly arrivals: Arrivals }

/** One event of a stream; `id` resumes after it. */
export type StreamEvent = { readonly id: string } & (
  | { readonly event: 'message'; readonly data: MessageSummary }
  | { readonly event: 'stage'; readonly data: DiagnosticEvent }
)

/** How far a reader has come: the number of a message and the id of a stage. */
type Position = { readonly sequence: number; readonly stage: string }

/** Events fetched in one go. */
const PAGE = 100

/** What a reader of a stream asks for. */
export type StreamOptions = {
  readonly inboxId: InboxId
  readonly lastEventId: string | null
  /** Fires when the reader is gone. */
  readonly gone: AbortSignal
}

/** Opens the stream of what happens in an inbox; throws when the caller has no such inbox. */
export async function openStream(
  deps: StreamDeps,
  caller: Caller,
  options: StreamOptions,
): Promise<AsyncGenerator<StreamEvent>> {
  const arrivals = deps.arrivals.subscribe(options.inboxId)
  try {
    const start = await startPosition(deps, caller, options)
    return follow(deps, caller, { options, start, arrivals })
  } catch (error) {
    arrivals.close()
    throw error
  }
}

async function* follow(
  deps: StreamDeps,
  caller: Caller,
  from: {
    readonly options: StreamOptions
    readonly start: Position
    readonly arrivals: Subscription
  },
): AsyncGenerator<StreamEvent> {
  const { options, arrivals } = from
  let position = from.start
  try {
    while (!options.gone.aborted) {
      const events = await eventsAfter(deps, caller, { inboxId: options.inboxId, position })
      for (const { at, ...event } of events) {
        position = at
        yield { ...event, id: `${at.sequence}.${at.stage}` }
      }
      if (events.length === 0) await arrivals.next(options.gone)
    }
  } finally {
    arrivals.close()
  }
}

async function startPosition(
  deps: StreamDeps,
  caller: Caller,
  options: StreamOptions,
): Promise<Position> {
  const sequence = await deps.store.inboxes.lastSequence(caller.accountId, options.inboxId)
  if (sequence === null) throw new ServiceError('inbox_not_found')
  const [, number, stage] = /^(\d{1,15})\.([\w]{0,40})$/.exec(options.lastEventId ?? '') ?? []
  if (number !== undefined) return { sequence: Number(number), stage: stage ?? '' }
  const newest = await deps.store.diagnostics.newestId(options.inboxId)
  return { sequence, stage: newest ?? '' }
}

type Positioned =
  | { readonly at: Position; readonly event: 'message'; readonly data: MessageSummary }
  | { readonly at: Position; readonly event: 'stage'; readonly data: DiagnosticEvent }

async function eventsAfter(
  deps: StreamDeps,
  caller: Caller,
  from: { readonly inboxId: InboxId; readonly position: Position },
): Promise<Positioned[]> {
  const { inboxId, position } = from
  const exists = await deps.store.inboxes.lastSequence(caller.accountId, inboxId)
  if (exists === null) throw new ServiceError('inbox_not_found')
  const messages = await deps.store.messages.listAfter(caller.accountId, inboxId, {
    after: position.sequence,
    limit: PAGE,
  })
  const stages = await deps.store.diagnostics.listAfter(inboxId, position.stage, PAGE)
  let at = position
  const events: Positioned[] = []
  for (const { sequence, ...data } of messages) {
    at = { ...at, sequence }
    events.push({ at, event: 'message', data })
  }
  for (const { id, stage, at: time, detail } of stages) {
    at = { ...at, stage: id }
    events.push({ at, event: 'stage', data: { stage, at: time, detail } })
  }
  return events
}
