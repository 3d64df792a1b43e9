import type { ErrorCode, WaitDiagnostics } from '@mayfly/contract'
import { ServiceError, StorageUnavailable, storageError } from '../errors.ts'
import { splitDiagnosis } from './diagnosis-text.ts'

/** The next step for an agent, where the message alone does not name it. */
const NEXT: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_parameter: 'Correct the named fields and call again.',
  plan_limit: 'Continue without it, or tell the user.',
  inbox_not_found: 'Check the id; the inbox may have been deleted. create_inbox creates a new one.',
  message_not_found: 'list_messages lists the messages of an inbox.',
  scenario_not_found: 'list_scenarios lists the saved scenarios.',
  nothing_arrived:
    'Make sure that the mail was triggered. If it may only be late, wait again with a longer timeoutSeconds; otherwise explain_missing_mail shows what happened to it.',
  address_taken: 'Leave localPart out, or choose another one.',
  address_reserved: 'Leave localPart out, or choose another one.',
  monthly_allowance_reached: 'Use an inbox that you already have, or tell the user.',
  daily_limit_reached: 'Use an inbox that you already have, or tell the user.',
  concurrent_waits_exceeded: 'Call again when a running wait has ended.',
  shutting_down: 'Call again in a moment.',
}

/** Replaces the text of the error table, which refers to the response body. */
const NOTHING_ARRIVED = 'Nothing matching arrived in time.'

/** The error if the caller can act on it; null when it is our bug. */
export function toServiceError(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error
  return error instanceof StorageUnavailable ? storageError(error) : null
}

/** The texts of an error for an agent: what happened, and what to do next. */
export function errorTexts(error: ServiceError, fence: (text: string) => string): string[] {
  const diagnostics = waitDiagnostics(error)
  const { nextSteps, quoted } =
    diagnostics === null ? { nextSteps: [], quoted: null } : splitDiagnosis(diagnostics)
  const next = [NEXT[error.code], ...nextSteps].filter((step) => step !== undefined)
  const message = error.code === 'nothing_arrived' ? NOTHING_ARRIVED : error.message
  const summary = `${error.code}: ${message}`
  return [
    [summary, ...next.map((step) => `Next: ${step}`)].join('\n'),
    ...(quoted === null ? [] : [fence(quoted)]),
  ]
}

function waitDiagnostics(error: ServiceError): WaitDiagnostics | null {
  if (error.code !== 'nothing_arrived') return null
  // Waiting attaches it to this error, and nothing else does.
  return (error.detail.fields?.['diagnostics'] as WaitDiagnostics | undefined) ?? null
}
