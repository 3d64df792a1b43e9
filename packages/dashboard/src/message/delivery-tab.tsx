import type { Delivery, Diagnostics, Message, ProviderCall } from '@mayfly/client'
import { CodeBlock } from '../components/code-block.tsx'
import { Badge } from '../components/controls.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { Sent } from '../components/sent.tsx'
import { Timeline } from '../components/timeline.tsx'
import { Ago } from '../components/times.tsx'
import { visibleText } from '../format.ts'
import { messagesOf, signedInClient } from '../session.ts'
import { inboxOf } from '../state/inboxes.ts'
import { useLoaded } from '../use-loaded.ts'

/** The delivery of a message: its SMTP dialogue or API call, its stages, its webhooks. */
export function DeliveryTab({ message }: { readonly message: Message }) {
  const { inboxId, id, envelope, provider } = message
  const loaded = useLoaded(id, async (signal) => {
    const [transcript, diagnostics, log] = await Promise.all([
      messagesOf(inboxId).transcript(id, { signal }),
      inboxOf(inboxId).then((inbox) => inbox.diagnose({ signal })),
      signedInClient().webhooks.deliveries({ limit: 100, signal }),
    ])
    return { transcript, diagnostics, deliveries: log.deliveries }
  })
  if (loaded.error !== null) return <Failure error={loaded.error} onRetry={loaded.reload} />
  if (loaded.value === null) return <Loading lines={8} />
  const { transcript, diagnostics, deliveries } = loaded.value
  return (
    <div class="stack">
      <section>
        <h3>Envelope</h3>
        <dl class="headers">
          <Fact name="Sender" value={envelope.mailFrom || '<> (a bounce)'} />
          <Fact
            name={message.recipients.length === 1 ? 'Recipient' : 'Recipients'}
            value={message.recipients.join(', ')}
          />
          {provider === null ? (
            <>
              <Fact
                name="SMTP client"
                value={`${envelope.remoteAddress}, ${envelope.helo ?? 'no name'}`}
              />
              <Fact name="Encryption" value={envelope.tls ?? 'none'} />
            </>
          ) : (
            <Fact name="Client" value={envelope.remoteAddress} />
          )}
        </dl>
      </section>
      <section>
        <h3>Timeline</h3>
        <Timeline inboxId={inboxId} events={eventsOf(diagnostics, message)} />
      </section>
      <section>
        <h3>{provider === null ? 'SMTP dialogue' : 'API call'}</h3>
        {provider === null ? <Transcript lines={transcript} /> : <ApiCall call={provider} />}
      </section>
      <section>
        <h3>Webhooks</h3>
        <Webhooks deliveries={deliveries.filter(({ messageId }) => messageId === id)} />
      </section>
    </div>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Sent text={value} />
      </dd>
    </div>
  )
}

function ApiCall({ call }: { readonly call: ProviderCall }) {
  const { name, operation, id, scheduledAt, request } = call
  return (
    <>
      <dl class="headers">
        <Fact name="Provider" value={name} />
        <Fact name="Operation" value={operation} />
        <Fact name="Id" value={id} />
        {scheduledAt === null ? null : <Fact name="Scheduled" value={scheduledAt} />}
      </dl>
      <CodeBlock text={visibleText(JSON.stringify(request, null, 2))} label="request" />
    </>
  )
}

function Transcript({ lines }: { readonly lines: readonly string[] }) {
  return (
    <ol class="transcript">
      {lines.map((line, index) => (
        // Lines repeat: a line has no other identity than its place.
        <li key={index} class={line.startsWith('C:') ? 'from-client' : 'from-server'}>
          <Sent text={line} />
        </li>
      ))}
    </ol>
  )
}

function Webhooks({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return <p class="muted">No webhook was sent for this mail.</p>
  return (
    <ul class="rows">
      {deliveries.map(({ id, url, status, attempts, createdAt }) => (
        <li key={id}>
          <Badge kind={status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'warn'}>
            {status}
          </Badge>
          <span class="row-main">{url}</span>
          <span class="muted">
            {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'},{' '}
            <Ago at={createdAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The stages of one message: those that name it, and its acceptance, when it had no id yet. */
function eventsOf({ events }: Diagnostics, { id, receivedAt }: Message) {
  return events.filter(
    ({ stage, at, detail }) =>
      detail?.includes(id) === true || (stage.endsWith('.accepted') && at === receivedAt),
  )
}
