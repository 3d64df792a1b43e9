import type { DiagnosticEvent, Stage } from '@mayfly/client/internal'
import { clockText } from '../format.ts'
import { hrefOf } from '../routes.ts'
import { now } from '../state/clock.ts'
import { subjectsOf, type TimelineEntry, timelineEntries } from '../timeline-entries.ts'
import { Sent } from './sent.tsx'

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

/** Observed stages as a line in time; `events` are in the order of time. */
export function Timeline(props: {
  readonly inboxId: string
  readonly events: readonly DiagnosticEvent[]
  readonly isNewestFirst?: boolean
}) {
  const { inboxId, events } = props
  const entries = timelineEntries(events)
  const subjects = subjectsOf(events)
  return (
    <ol class="timeline">
      {(props.isNewestFirst === true ? entries.reverse() : entries).map((entry) => {
        const { stage, detail } = entry.last
        return (
          <li key={`${entry.first.at} ${stage} ${detail}`} class={STAGES[stage]?.[1] ?? 'plain'}>
            <EntryTitle entry={entry} />
            {detail === null ? null : (
              <p class="detail">
                <Detail inboxId={inboxId} detail={detail} subjects={subjects} />
              </p>
            )}
          </li>
        )
      })}
    </ol>
  )
}

function EntryTitle({ entry: { first, last, count, gap } }: { readonly entry: TimelineEntry }) {
  // A newer service may have stages that this page does not know.
  const text = STAGES[last.stage]?.[0] ?? last.stage
  return (
    <p>
      {count === 1 ? `${text} ` : `${text} ${count} times, first `}
      <Clock at={first.at} />
      {count === 1 ? null : ', last '}
      {count === 1 ? null : <Clock at={last.at} />}
      {gap === null ? null : <span class="gap">{gap}</span>}
    </p>
  )
}

function Clock({ at }: { readonly at: string }) {
  return <time dateTime={at}>{clockText(at, now.value)}</time>
}

/** The text of a stage; a message that it names by id is a link with the subject. */
function Detail(props: {
  readonly inboxId: string
  readonly detail: string
  readonly subjects: ReadonlyMap<string, string>
}) {
  const { inboxId, detail, subjects } = props
  const messageId = /^msg_\w+/.exec(detail)?.[0]
  if (messageId === undefined) return <Sent text={detail} />
  const subject = subjects.get(messageId) ?? 'The message'
  const rest = detail.slice(messageId.length)
  // The link has the subject.
  const facts = /^, (?:"|no subject)/.test(rest) ? rest.slice(rest.lastIndexOf(', ')) : rest
  return (
    <>
      <a href={hrefOf({ page: 'message', inboxId, messageId, tab: null })}>
        <Sent text={subject} />
      </a>
      <Sent text={facts} />
    </>
  )
}
