import type { Inbox } from '@mayfly/client'
import type { DiagnosticEvent, Stage } from '@mayfly/client/internal'
import { hrefOf } from '../routes.ts'
import { diagnosticsRevision } from '../state/revisions.ts'
import { useLoaded } from '../use-loaded.ts'
import { Failure, Loading } from './notices.tsx'
import { Ago } from './times.tsx'

const STAGES: Readonly<Record<Stage, readonly [text: string, kind: string]>> = {
  'inbox.created': ['Inbox created', 'plain'],
  'smtp.accepted': ['Recipient accepted', 'plain'],
  'smtp.refused': ['Mail refused', 'bad'],
  'message.stored': ['Message stored', 'good'],
  'otp.detected': ['Code found', 'accent'],
  'webhook.delivered': ['Webhook delivered', 'good'],
  'webhook.failed': ['Webhook failed', 'bad'],
  'inbox.expired': ['Inbox expired', 'warn'],
  'inbox.suspended': ['Inbox suspended', 'bad'],
  'provider.accepted': ['API call accepted', 'plain'],
  'provider.refused': ['API call refused', 'bad'],
  'near.miss': ['Mail to a similar address', 'warn'],
  'fault.injected': ['Refused by a fault rule', 'warn'],
}

/** A burst adds hundreds; the newest ones matter. */
const SHOWN_MAX = 60

/** What happened to mail for an inbox, and what to do when none arrives. */
export function Diagnosis(props: { readonly inbox: Inbox; readonly messageCount: number }) {
  const { inbox, messageCount } = props
  const key = `${inbox.id} ${messageCount} ${diagnosticsRevision.value}`
  const { value, error, reload } = useLoaded(key, (signal) => inbox.diagnose({ signal }))
  return (
    <section class="diagnosis">
      <h3>{messageCount === 0 ? 'No mail arrived?' : 'What happened here'}</h3>
      {error === null ? null : <Failure error={error} onRetry={reload} />}
      {value === null && error === null ? <Loading /> : null}
      {value === null || value.nextSteps.length === 0 ? null : (
        <ul class="next-steps">
          {value.nextSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      )}
      {value === null ? null : (
        <Timeline inboxId={inbox.id} events={value.events.slice(-SHOWN_MAX).reverse()} />
      )}
      {value !== null && value.events.length > SHOWN_MAX ? (
        <p class="muted">
          The newest {SHOWN_MAX} of {value.events.length}.
        </p>
      ) : null}
    </section>
  )
}

/** Observed stages as a line in time. */
export function Timeline(props: {
  readonly inboxId: string
  readonly events: readonly DiagnosticEvent[]
}) {
  const { inboxId, events } = props
  return (
    <ol class="timeline">
      {events.map(({ stage, at, detail }, index) => {
        // A newer service may have stages that this page does not know.
        const [text, kind] = STAGES[stage] ?? [stage, 'plain']
        return (
          <li key={`${at} ${stage} ${index}`} class={kind}>
            <p>
              {text} <Ago at={at} />
            </p>
            {detail === null ? null : <p class="detail">{withMessageLink(inboxId, detail)}</p>}
          </li>
        )
      })}
    </ol>
  )
}

/** The text of a stage; the id of a message in it leads to the message. */
function withMessageLink(inboxId: string, detail: string) {
  const messageId = /^msg_\w+/.exec(detail)?.[0]
  if (messageId === undefined) return detail
  const href = hrefOf({ page: 'message', inboxId, messageId, tab: null })
  return [
    <a key="message" href={href}>
      {messageId}
    </a>,
    detail.slice(messageId.length),
  ]
}
