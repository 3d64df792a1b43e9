import type { DiagnosticEvent, Inbox } from '@mayfly/contract'

/** What is known when somebody asks why a mail did not come. */
export type Observed = {
  readonly inbox: Inbox
  readonly events: readonly DiagnosticEvent[]
  readonly domain: { readonly domain: string; readonly status: string }
  readonly mailHost: string
  /** Where the application under test should send to. */
  readonly smtpAddress: string
  /** When a client last connected to this node's SMTP port; null when none has since its start. */
  readonly lastConnectionAt: number | null
  readonly now: number
}

/** Refusals and near misses that are told, newest first; more would say the same. */
const TOLD_MAX = 3

/** What to do now, most telling first; one entry each. */
export function nextSteps(observed: Observed): string[] {
  return [...stateSteps(observed), ...refusalSteps(observed), ...silenceSteps(observed)]
}

function stateSteps({ inbox, domain, mailHost }: Observed): string[] {
  const steps: string[] = []
  if (inbox.state === 'expired') {
    steps.push(
      `The inbox expired at ${inbox.expiresAt} and takes no more mail. Create a new one; a larger ttlSeconds makes it live longer.`,
    )
  }
  if (inbox.state === 'suspended') {
    steps.push(
      'The inbox is suspended and takes no mail. inbox.suspended in events tells why; create a new one, or ask the operator to resume it.',
    )
  }
  if (domain.status !== 'active') {
    steps.push(
      `The domain ${domain.domain} is ${domain.status}. Point its MX record to ${mailHost}, then POST /v1/domains/${domain.domain}/verify.`,
    )
  }
  return steps
}

/** One step for each refusal and each near miss, the newest first. */
function refusalSteps({ events, inbox, now }: Observed): string[] {
  return events
    .filter(({ stage }) => stage === 'smtp.refused' || stage === 'near.miss')
    .toReversed()
    .slice(0, TOLD_MAX)
    .map(({ stage, at, detail }) => {
      const ago = agoText(now - Date.parse(at))
      if (stage === 'near.miss') {
        const [, wrong] = /^mail for (\S+) was refused/.exec(detail ?? '') ?? []
        return `A mail for ${wrong ?? 'a similar address'} was refused ${ago}; your inbox is ${inbox.emailAddress}. Check the address that the application sends to.`
      }
      return `A mail for this inbox was refused ${ago}: ${detail ?? 'no reason was noted'}. ${remedyFor(detail ?? '')}`
    })
}

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/had expired/, 'Create a new inbox, or one with a larger ttlSeconds.'],
  [/suspended/, 'Create a new inbox.'],
  [/^552|too large/, 'Send a smaller mail.'],
  [/holds|no room/, 'Delete the inbox and create a new one: it is full.'],
  [/connection lost|timed out|too slow/, 'The sender broke off: look at its log and the network.'],
  [/^45/, 'The sender should try again by itself; a real mail server does.'],
]

function remedyFor(detail: string): string {
  return REMEDIES.find(([pattern]) => pattern.test(detail))?.[1] ?? 'Look at the log of the sender.'
}

/** When nothing at all has come, the mail never reached us, or not for this address. */
function silenceSteps(observed: Observed): string[] {
  const { events, inbox, smtpAddress, lastConnectionAt } = observed
  const isSilent = events.every(({ stage }) => stage.startsWith('inbox.'))
  if (!isSilent || inbox.state !== 'active') return []
  const createdAt = Date.parse(inbox.createdAt)
  if (lastConnectionAt === null || lastConnectionAt < createdAt) {
    return [
      `No mail client has connected since the inbox was created. Check that the application sends at all, and that it sends to ${smtpAddress}.`,
      'Try it by hand: curl smtp://' +
        `${smtpAddress} --mail-from you@example.com --mail-rcpt ${inbox.emailAddress} -T mail.eml`,
    ]
  }
  return [
    `A mail client connected ${agoText(observed.now - lastConnectionAt)}, but sent nothing for ${inbox.emailAddress}. Check the address that the application sends to, and its log.`,
  ]
}

function agoText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s ago`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`
}
