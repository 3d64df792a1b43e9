import type { DiagnosticEvent } from '@mayfly/client/internal'
import { gapText } from './format.ts'

/** A stage, or the same failure several times in a row. */
export type TimelineEntry = {
  readonly first: DiagnosticEvent
  readonly last: DiagnosticEvent
  readonly count: number
  /** The time since the entry before, such as "+4 ms"; null for the first. */
  readonly gap: string | null
}

/** Stages that are one entry while they repeat. */
const FAILURES: ReadonlySet<string> = new Set([
  'webhook.failed',
  'smtp.refused',
  'provider.refused',
  'fault.injected',
])

/** The entries of a timeline, from events in the order of time. */
export function timelineEntries(events: readonly DiagnosticEvent[]): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  for (const event of events) {
    const before = entries.at(-1)
    if (before?.last.stage === event.stage && FAILURES.has(event.stage)) {
      entries[entries.length - 1] = { ...before, last: event, count: before.count + 1 }
      continue
    }
    const gap =
      before === undefined ? null : gapText(Date.parse(event.at) - Date.parse(before.last.at))
    entries.push({ first: event, last: event, count: 1, gap })
  }
  return entries
}

/** The subjects of the stored messages, by their ids. */
export function subjectsOf(events: readonly DiagnosticEvent[]): ReadonlyMap<string, string> {
  const subjects = new Map<string, string>()
  for (const { stage, detail } of events) {
    if (stage !== 'message.stored') continue
    const [, id, subject] = /^(msg_\w+), (?:"(.*)"|no subject), /s.exec(detail ?? '') ?? []
    if (id !== undefined) subjects.set(id, subject || 'No subject')
  }
  return subjects
}
