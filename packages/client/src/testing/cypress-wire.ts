import type { Assertion } from '../assertions.ts'
import type { TextPattern } from '../filter.ts'
import type { WaitOptions } from '../inbox.ts'
import type { CreateInboxOptions } from '../inboxes.ts'

/** A pattern on its way from the browser to Node, which is JSON and knows no expressions. */
export type PackedPattern = string | { readonly source: string; readonly flags: string }

/** The options of a wait on their way. */
export type PackedOptions = {
  readonly from?: PackedPattern | undefined
  readonly subject?: PackedPattern | undefined
  readonly text?: PackedPattern | undefined
  readonly since?: string | undefined
  readonly after?: string | undefined
  readonly timeoutSeconds?: number | undefined
}

/** What a command may say about a wait; a task cannot be aborted from the browser. */
export type CypressWaitOptions = Omit<WaitOptions, 'signal'>

/** What a command may say about a new inbox. */
export type CypressInboxOptions = Omit<CreateInboxOptions, 'signal'>

/** Names the new inbox. */
export type CreateArgument = { readonly options: CypressInboxOptions }

/** Names an inbox. */
export type InboxArgument = { readonly inboxId: string }

/** Names an inbox and what is waited for there. */
export type WaitArgument = InboxArgument & { readonly options: PackedOptions }

/** The same with a link's pattern. */
export type LinkArgument = WaitArgument & { readonly pattern?: PackedPattern | undefined }

/** The same with assertions. */
export type CheckArgument = WaitArgument & { readonly assertions: readonly Assertion[] }

/** Makes options fit for JSON. */
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

/** Makes options of what came as JSON. */
export function unpackOptions({ from, subject, text, ...rest }: PackedOptions): WaitOptions {
  return {
    ...rest,
    from: unpackPattern(from),
    subject: unpackPattern(subject),
    text: unpackPattern(text),
  }
}

/** Makes a pattern fit for JSON. */
export function packPattern(pattern: TextPattern | undefined): PackedPattern | undefined {
  if (pattern === undefined || typeof pattern === 'string') return pattern
  return { source: pattern.source, flags: pattern.flags }
}

/** Makes a pattern of what came as JSON. */
export function unpackPattern(packed: PackedPattern | undefined): TextPattern | undefined {
  if (packed === undefined || typeof packed === 'string') return packed
  return new RegExp(packed.source, packed.flags)
}
