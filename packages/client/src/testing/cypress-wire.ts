import type { Assertion } from '../assertions.ts'
import type { TextPattern } from '../filter.ts'
import type { CreateInboxOptions } from '../inboxes.ts'
import type { CheckOptions, LinkOptions, OtpOptions } from '../wait-options.ts'

/** A pattern as JSON: tasks get their arguments from the browser as JSON. */
type PackedPattern = string | { readonly source: string; readonly flags: string }

/** The options that are patterns. */
type Patterned = 'from' | 'subject' | 'text' | 'link'

/** The options of a wait as JSON. */
export type PackedOptions = Omit<CypressOptions, Patterned | 'since'> & {
  readonly [Option in Patterned]?: PackedPattern | undefined
} & { readonly since?: string | undefined }

/** The options of a wait in a command; a task cannot be aborted from the browser. */
export type CypressWaitOptions = Omit<CypressLinkOptions, 'link'>

/** The options of a wait for a code in a command. */
export type CypressOtpOptions = Omit<OtpOptions, 'signal'>

/** The options of a wait for a link in a command. */
export type CypressLinkOptions = Omit<LinkOptions, 'signal'>

/** The options of any wait. */
export type CypressOptions = CypressLinkOptions & CypressOtpOptions

/** The options of a check in a command. */
export type CypressCheckOptions = Omit<CheckOptions, 'signal'>

/** The options of a new inbox in a command. */
export type CypressInboxOptions = Omit<CreateInboxOptions, 'signal'>

/** The argument of a task that creates an inbox. */
export type CreateArgument = { readonly options: CypressInboxOptions }

/** The argument of a task on an inbox. */
export type InboxArgument = { readonly inboxId: string }

/** The argument of a task that waits. */
export type WaitArgument = InboxArgument & { readonly options: PackedOptions }

/** The same with assertions. */
export type CheckArgument = WaitArgument & { readonly assertions: readonly Assertion[] }

/** Converts options to JSON. */
export function packOptions(options: CypressOptions): PackedOptions {
  const { from, subject, text, link, since, ...rest } = options
  return {
    ...rest,
    from: packPattern(from),
    subject: packPattern(subject),
    text: packPattern(text),
    link: packPattern(link),
    since: since instanceof Date ? since.toISOString() : since,
  }
}

/** Converts options from JSON. */
export function unpackOptions(packed: PackedOptions): LinkOptions & OtpOptions {
  const entries = Object.entries(packed).map(([name, value]) => [name, unpack(value)])
  return Object.fromEntries(entries)
}

function packPattern(pattern: TextPattern | undefined): PackedPattern | undefined {
  if (pattern === undefined || typeof pattern === 'string') return pattern
  return { source: pattern.source, flags: pattern.flags }
}

/** Of the options, patterns alone are objects. */
function unpack(value: string | number | PackedPattern | undefined): unknown {
  return typeof value === 'object' ? new RegExp(value.source, value.flags) : value
}
