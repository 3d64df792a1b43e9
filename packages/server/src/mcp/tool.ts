import { joinRules } from '@mayfly/contract'
import type { z } from 'zod'
import type { App } from '../app/api.ts'
import { ServiceError } from '../errors.ts'

/** The authenticated caller. */
export type Caller = Awaited<ReturnType<App['authenticate']>>

/** The context of one call of a tool. */
export type ToolCall = {
  readonly app: App
  readonly caller: Caller
  /** Marks text as written by a sender. */
  readonly fence: (text: string) => string
  /** Aborts when the call is cancelled or its client disconnects. */
  readonly signal: AbortSignal
  /** Reports progress; null when the client did not ask for it. */
  readonly report: ReportProgress | null
  readonly elapsedMs: () => number
  /** The time of the service. */
  readonly now: () => number
}

/** Reports the progress of a call in seconds. */
export type ReportProgress = (progress: {
  readonly progress: number
  readonly total?: number
  readonly message: string
}) => Promise<void>

/** Hints that a client may show before it allows a call. */
export type Annotations = {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** The result of a tool: trusted fields, and in `untrusted` the text of senders. */
export type ToolResult = { readonly untrusted?: string; readonly [field: string]: unknown }

/** A tool as it is listed and called. */
export type Tool = {
  readonly name: string
  /** Its effect, and when an agent should use it. */
  readonly description: string
  readonly input: z.ZodObject
  readonly annotations: Annotations
  /** Whether a call may take long: its response is then a stream, so that no proxy times out. */
  readonly waits: boolean
  readonly run: (call: ToolCall, input: unknown) => Promise<ToolResult>
}

/** Reads, changes nothing, and sends no request outside. */
export const READ_ONLY: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Creates something, and destroys nothing. */
export const ADDS: Annotations = { ...READ_ONLY, readOnlyHint: false, idempotentHint: false }

/** Defines a tool whose input is checked against its schema. */
export function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, 'run' | 'input' | 'waits'> & {
    readonly input: Input
    readonly waits?: boolean
    readonly run: (call: ToolCall, input: z.output<Input>) => Promise<ToolResult>
  },
): Tool {
  return {
    ...tool,
    waits: tool.waits ?? false,
    run: (call, input) => tool.run(call, parseInput(tool.input, input)),
  }
}

/** Parses the input; errors are worded as those of the API. */
function parseInput<Input extends z.ZodObject>(schema: Input, input: unknown): z.output<Input> {
  const parsed = schema.safeParse(input ?? {})
  if (parsed.success) return parsed.data
  const message = joinRules(
    parsed.error.issues,
    ({ path, message: rule }) => `${path.length === 0 ? 'arguments' : path.join('.')}: ${rule}`,
  )
  throw new ServiceError('invalid_parameter', { message })
}
