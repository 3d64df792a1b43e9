import type { Assertion } from '../assertions.ts'
import type { TextPattern } from '../filter.ts'
import type { WaitOptions } from '../inbox.ts'
import type { CreateInboxOptions } from '../inboxes.ts'

/** A pattern as JSON: tasks get their arguments from the browser as JSON. */
export type PackedPattern = string | { readonly source: string; readonly flags: string }

/** The options of a wait as JSON. */
export type PackedOptions = {
  readonly from?: PackedPattern | undefined
  readonly subject?: PackedPattern | undefined
  readonly text?: PackedPattern | undefined
  readonly since?: string | undefined
  readonly after?: string | undefined
  readonly timeoutSeconds?: number | undefined
}

/** The options of a wait in a command; a task cannot be aborted from the browser. */
export type CypressWaitOptions = Omit<WaitOptions, 'signal'>

/** The options of a new inbox in a command. */
export type CypressInboxOptions = Omit<CreateInboxOptions, 'signal'>

/** The argument of a task that creates an inbox. */
export type CreateArgument = { readonly options: CypressInboxOptions }

/** The argument of a task on an inbox. */
export type InboxArgument = { readonly inboxId: string }

/** The argument of a task that waits. */
export type WaitArgument = InboxArgument & { readonly options: PackedOptions }

/** The same with a link's pattern. */
export type LinkArgument = WaitArgument & { readonly pattern?: PackedPattern | undefined }

/** The same with assertions. */
export type CheckArgument = WaitArgument & { readonly assertions: readonly Assertion[] }

/** Converts options to JSON. */
export function packOptions(options: CypressWaitOptions): PackedOptions {
  const { from, subject, text, since, after, timeoutSeconds } = options
  return {
    from: packPattern(from),
    subject: packPattern(subject),
    text: packPattern(text),
    since: since instanceof Date ? since.toISOString() : since,
    after,
    timeoutSeconds,
  }
}

/** Converts options from JSON. */
export function unpackOptions({ from, subject, text, ...rest }: PackedOptions): WaitOptions {
  return {
    ...rest,
    from: unpackPattern(from),
    subject: unpackPattern(subject),
    text: unpackPattern(text),
  }
}

/** Converts a pattern to JSON. */
export function packPattern(pattern: TextPattern | undefined): PackedPattern | undefined {
  if (pattern === undefined || typeof pattern === 'string') return pattern
  return { source: pattern.source, flags: pattern.flags }
}

/** Converts a pattern from JSON. */
export function unpackPattern(packed: PackedPattern | undefined): TextPattern | undefined {
  if (packed === undefined || typeof packed === 'string') return packed
  return new RegExp(packed.source, packed.flags)
}
