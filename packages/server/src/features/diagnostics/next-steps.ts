import type { DiagnosticEvent, Inbox } from '@mayfly/contract'
import type { FailedHandshakes, RefusedCommand } from '../../signals/thread-signals.ts'
import type { StoredDiagnosticEvent } from '../../store/tables/diagnostics.ts'
import { REMEDIES, TLS_REMEDY } from './refusal-reasons.ts'

/** The facts from which the advice follows. */
export type Observed = {
  readonly inbox: Inbox
  readonly events: readonly DiagnosticEvent[]
  /** Refusals, near misses and suspensions, newest first. */
  readonly stored: readonly StoredDiagnosticEvent[]
  readonly domain: { readonly domain: string; readonly status: string }
  readonly mailHost: string
  /** Host and port that the application under test should send to. */
  readonly smtpAddress: string
  /** When this node started: earlier connections are unknown. */
  readonly startedAt: number
  /** When a client last connected to this node's SMTP port; null when none has since its start. */
  readonly lastConnectionAt: number | null
  /** Null when there are none, or when the account may not see them. */
  readonly failedHandshakes: FailedHandshakes | null
  /** The last one; null when there is none, or when the account may not see it. */
  readonly refusedCommand: RefusedCommand | null
  readonly now: number
}

/** Refusals, near misses and injected faults that get a step: the newest. */
const REFUSAL_STEPS_MAX = 3

/** Stored stages in which no mail was refused. */
const NO_REFUSAL: readonly string[] = ['inbox.suspended', 'webhook.failed', 'provider.accepted']

/** What to do now, the most likely cause first. */
export function nextSteps(observed: Observed): string[] {
  const handshake = handshakeSteps(observed)
  const noMail = handshake.length > 0 ? [] : noMailSteps(observed)
  const steps = [...stateSteps(observed), ...handshake, ...refusalSteps(observed), ...noMail]
  return [...new Set(steps)]
}

function stateSteps({ inbox, domain, mailHost }: Observed): string[] {
  const steps: string[] = []
  if (inbox.state === 'expired') {
    steps.push(
      `The inbox expired at ${inbox.expiresAt} and accepts no more mail. Create a new one, if needed with a larger ttlSeconds.`,
    )
  }
  if (inbox.state === 'suspended') {
    steps.push(
      'The inbox is suspended and accepts no mail; the event inbox.suspended has the reason. Create a new one, or ask the operator to resume it.',
    )
  }
  if (domain.status !== 'active') {
    steps.push(
      `The domain ${domain.domain} is ${domain.status}. Point its MX record to ${mailHost}, then POST /v1/domains/${domain.domain}/verify.`,
    )
  }
  return steps
}

/** One step for each refusal, near miss and injected fault, the newest first. */
function refusalSteps({ stored, inbox, now }: Observed): string[] {
  return stored
    .filter(({ stage }) => !NO_REFUSAL.includes(stage))
    .slice(0, REFUSAL_STEPS_MAX)
    .map((event) => {
      const ago = agoText(now - Date.parse(event.at))
      if (event.stage === 'near.miss') {
        return `A mail for ${event.recipient} was refused ${ago}; your inbox is ${inbox.emailAddress}. Check the address that the application sends to.`
      }
      if (event.stage === 'smtp.refused') {
        return `A mail for this inbox was refused ${ago}: ${event.detail}. ${REMEDIES[event.reason]}`
      }
      if (event.stage === 'provider.refused') {
        return `A call of a provider's API for this inbox was refused ${ago}: ${event.detail}.`
      }
      return `A fault rule of this inbox refused a mail ${ago}: ${event.detail}. DELETE /v1/inboxes/${inbox.id}/faults deletes the rules.`
    })
}

/** A step for a handshake that failed after the last event of the inbox. */
function handshakeSteps({ failedHandshakes: failed, events, now }: Observed): string[] {
  const lastEventAt = Math.max(0, ...events.map(({ at }) => Date.parse(at)))
  if (failed === null || failed.at < lastEventAt) return []
  const name = failed.helo === null ? '' : ` (${failed.helo})`
  const count = failed.count === 1 ? '' : ` It is one of ${failed.count} since the start.`
  return [
    `The TLS handshake with a mail client at ${failed.remoteAddress}${name} failed ${agoText(now - failed.at)}: ${failed.reason}.${count} ${TLS_REMEDY}`,
  ]
}

/** Steps for an inbox without any event of a mail: it was not sent here, or to another address. */
function noMailSteps(observed: Observed): string[] {
  const { events, inbox, smtpAddress, startedAt } = observed
  const hasNoMail = events.every(({ stage }) => stage.startsWith('inbox.'))
  if (!hasNoMail || inbox.state !== 'active') return []
  const createdAt = Date.parse(inbox.createdAt)
  const clientAt = lastClientAt(observed)
  if (clientAt === null || clientAt < createdAt) {
    const since = startedAt > createdAt ? 'the service started' : 'the inbox was created'
    const recipient = inbox.catchAll
      ? `--user "${inbox.id}:$MAYFLY_API_KEY" --mail-rcpt anyone@example.com`
      : `--mail-rcpt ${inbox.emailAddress}`
    return [
      `No mail client has connected since ${since}. Check that the application sends at all, and that it sends to ${smtpAddress}.`,
      'Try it by hand: curl smtp://' +
        `${smtpAddress} --mail-from you@example.com ${recipient} -T mail.eml`,
    ]
  }
  const connected = `A mail client connected ${agoText(observed.now - clientAt)}, but`
  return [
    ...refusedSteps(observed, createdAt),
    inbox.catchAll
      ? `${connected} did not log in to this inbox. Check that the application logs in with the user name ${inbox.id} and an API key as the password.`
      : `${connected} sent nothing for ${inbox.emailAddress}. Check the address that the application sends to, and its log.`,
  ]
}

/** The last sign of a connected client: its connection, or a refused command. */
function lastClientAt({ lastConnectionAt, refusedCommand }: Observed): number | null {
  if (refusedCommand === null) return lastConnectionAt
  return Math.max(lastConnectionAt ?? 0, refusedCommand.at)
}

/** A step for a command that was refused since the inbox was created. */
function refusedSteps({ refusedCommand: refused, now }: Observed, createdAt: number): string[] {
  if (refused === null || refused.at < createdAt) return []
  const { kind, reply } = refused
  const name = JSON.stringify(refused.name)
  const ago = agoText(now - refused.at)
  return [
    kind === 'recipient'
      ? `A mail for ${name} was refused ${ago}: ${reply}. No inbox has this address: check where the application sends to.`
      : `A login as ${name} was refused ${ago}: ${reply}. Send without a login, log in to a catch-all inbox, or set MAYFLY_SMTP_ACCEPT_ANY_AUTH=true.`,
  ]
}

function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 1) return 'just now'
  if (seconds < 120) return `${seconds} s ago`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`
}
