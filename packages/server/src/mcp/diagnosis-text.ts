import type { DiagnosticEvent, Diagnostics, WaitDiagnostics } from '@mayfly/contract'
import { oneLine } from './untrusted.ts'

/** Events shown to an agent, the newest. */
const EVENTS_MAX = 40

/** Characters of one line; a sender chooses subjects and return paths. */
const LINE_CHARS_MAX = 300

/** A diagnosis, split into our own text and text that quotes a sender. */
export type SplitDiagnosis = {
  /** Steps that quote nothing; empty when any step might. */
  readonly nextSteps: string[]
  /** The rest, to be fenced; null when no sender was involved. */
  readonly quoted: string | null
}

/**
 * Splits a diagnosis.
 *
 * A step may quote a return path or a subject. Once a sender was involved, all steps count as
 * quoting: their text does not show reliably which do.
 */
export function splitDiagnosis(diagnosis: Diagnostics | WaitDiagnostics): SplitDiagnosis {
  const considered = 'considered' in diagnosis ? diagnosis.considered : []
  // Only the stages of the inbox itself contain nothing from a sender.
  const hasSender =
    considered.length > 0 || diagnosis.events.some(({ stage }) => !stage.startsWith('inbox.'))
  if (!hasSender) return { nextSteps: diagnosis.nextSteps, quoted: null }
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
