import type { Inbox } from '@mayfly/client'
import { diagnosticsRevision } from '../state/revisions.ts'
import { useLoaded } from '../use-loaded.ts'
import { Failure, Loading } from './notices.tsx'
import { Sent } from './sent.tsx'
import { Timeline } from './timeline.tsx'

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
            <li key={step}>
              <Sent text={step} />
            </li>
          ))}
        </ul>
      )}
      {value === null ? null : (
        <Timeline inboxId={inbox.id} events={value.events.slice(-SHOWN_MAX)} isNewestFirst />
      )}
      {value !== null && value.events.length > SHOWN_MAX ? (
        <p class="muted">
          The newest {SHOWN_MAX} of {value.events.length}.
        </p>
      ) : null}
    </section>
  )
}
