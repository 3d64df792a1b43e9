import type { App } from '../assembly/api.ts'
import type { Ids } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { RunningCalls } from './running-calls.ts'
import type { Caller } from './tool.ts'

/** What the endpoint for agents needs. */
export type McpDeps = {
  readonly app: App
  readonly ids: Ids
  readonly log: Pick<Log, 'error'>
  readonly elapsedMs: () => number
}

/** One request as the HTTP side hands it over: its caller is known, its body is JSON. */
export type McpRequest = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
  readonly caller: Caller
  readonly requestId: string
  /** Fires when the client is gone. */
  readonly gone: AbortSignal
}

/** One request and all that answering it takes. */
export type Exchange = McpDeps &
  McpRequest & {
    /** The name that the client was given at its start; null when it shows none. */
    readonly session: string | null
    readonly running: RunningCalls
  }
