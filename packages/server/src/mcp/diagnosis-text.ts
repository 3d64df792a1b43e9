import type { DiagnosticEvent, Diagnostics, WaitDiagnostics } from '@mayfly/contract'
import { oneLine } from './untrusted.ts'

/** Events shown to an agent; the newest tell the most. */
const EVENTS_MAX = 40

/** Characters of one line; a sender chooses subjects and return paths. */
const LINE_CHARS_MAX = 300

/** A diagnosis, parted into our own words and those that repeat a sender's. */
export type PartedDiagnosis = {
  /** Steps that repeat nothing; empty when any step might. */
  readonly nextSteps: string[]
  /** The rest, to be fenced; null when nobody has sent anything. */
  readonly quoted: string | null
}

/**
 * Parts a diagnosis.
 *
 * A step may repeat a return path or a subject. Once a sender has been heard of, all steps count
 * as quoting: to tell them apart by their words would be guessing.
 */
export function quotedDiagnosis(diagnosis: Diagnostics | WaitDiagnostics): PartedDiagnosis {
  const considered = 'considered' in diagnosis ? diagnosis.considered : []
  // Of all stages only those of the inbox itself owe nothing to a sender.
  const isHeard =
    considered.length > 0 || diagnosis.events.some(({ stage }) => !stage.startsWith('inbox.'))
  if (!isHeard) return { nextSteps: diagnosis.nextSteps, quoted: null }
  const lines = [
    ...diagnosis.nextSteps.map((step) => `Next step: ${step}`),
    ...considered.map(
      ({ id, subject, reason }) => `Did not count: ${id}, subject ${quote(subject)}: ${reason}`,
    ),
    ...diagnosis.events.slice(-EVENTS_MAX).map(eventLine),
  ]
  return {
    nextSteps: [],
    quoted: lines.map((line) => oneLine(line, LINE_CHARS_MAX)).join('\n'),
  }
}

function eventLine({ at, stage, detail }: DiagnosticEvent): string {
  return detail === null ? `${at} ${stage}` : `${at} ${stage}: ${detail}`
}

function quote(subject: string | null): string {
  return subject === null ? 'missing' : JSON.stringify(subject)
}
