import type { AssertionResult, AssertionRun } from './assertions.ts'
import type { DiagnosticEvent, RejectedMessage, WaitDiagnostics } from './diagnostics.ts'
import { formatAddress } from './filter.ts'
import type { MessageSummary } from './messages.ts'
import { plain, quote } from './quote.ts'

/** Most lines of a section. The newest are kept: the last event is the most likely cause. */
const LINES_MAX = 10

/** A wait that timed out. */
export type TimedOutWait = {
  /** `a message with subject "Welcome"` */
  readonly what: string
  readonly emailAddress: string
  readonly timeoutSeconds: number
  readonly diagnostics: WaitDiagnostics
}

/** Stages in which a mail was refused. */
const REFUSALS: readonly string[] = [
  ...['smtp.refused', 'provider.refused', 'near.miss', 'fault.injected'],
]

/** The message of a timeout: what arrived instead, what was refused, what to do next. */
export function explainTimeout({ what, emailAddress, timeoutSeconds, diagnostics }: TimedOutWait) {
  const { considered, events, state, domain, nextSteps } = diagnostics
  const refused = events.filter(({ stage }) => REFUSALS.includes(stage))
  const lines = [
    `${capitalise(what)} did not reach ${emailAddress} within ${timeoutSeconds} s.`,
    ...section('Arrived, but did not match:', considered.map(rejectedLine)),
    ...section('Refused:', refused.map(eventLine)),
  ]
  if (considered.length === 0 && refused.length === 0) {
    lines.push('', 'No mail arrived for this address, and none was refused.')
  }
  if (state !== 'active') lines.push('', `The inbox is ${state}: it accepts no mail.`)
  if (domain.status !== 'active') lines.push('', `The domain ${domain.domain} is ${domain.status}.`)
  return [
    ...lines,
    ...section(
      'What to do next:',
      nextSteps.map((step) => `- ${step}`),
    ),
  ].join('\n')
}

/** The message of failed assertions: the result of each, with its reason. */
export function explainRun({ arrived, message, results }: AssertionRun, emailAddress: string) {
  const failed = results.filter(({ passed }) => !passed)
  const subject = message === null ? '' : ` on ${quote(message.subject)}`
  const outcome = arrived
    ? `${failed.length} of ${results.length} assertions failed${subject} to ${emailAddress}.`
    : `No message reached ${emailAddress} in time.`
  const line = ({ passed, type, detail }: AssertionResult) =>
    `${passed ? 'passed' : 'FAILED'}  ${type}: ${plain(detail)}`
  return [outcome, ...results.map((result) => `  ${line(result)}`)].join('\n')
}

/** `"Subject" from "Name <address>" at 09:30:00 UTC` */
export function describeMessage({ subject, from, receivedAt }: MessageSummary): string {
  return `${quote(subject)} from ${quote(formatAddress(from))} at ${timeOfDay(receivedAt)}`
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const hidden = lines.length - LINES_MAX
  const more = hidden > 0 ? [`  … and ${hidden} earlier`] : []
  return ['', title, ...more, ...lines.slice(-LINES_MAX).map((line) => `  ${line}`)]
}

function rejectedLine({ receivedAt, subject, reason }: RejectedMessage): string {
  return `${timeOfDay(receivedAt)}  ${quote(subject)}: ${plain(reason)}`
}

function eventLine({ at, stage, detail }: DiagnosticEvent): string {
  return `${timeOfDay(at)}  ${stage}${detail === null ? '' : `: ${plain(detail)}`}`
}

/** `09:30:00 UTC` of a date-time. */
function timeOfDay(dateTime: string): string {
  return `${dateTime.slice(11, 19)} UTC`
}

function capitalise(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}
