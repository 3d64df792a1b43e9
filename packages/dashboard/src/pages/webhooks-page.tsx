import type { Delivery, Webhook } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { Badge, Button } from '../components/controls.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Empty, Failure, Loading } from '../components/notices.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { Ago } from '../components/times.tsx'
import { type ErrorText, errorText } from '../error-text.ts'
import { hrefOf } from '../routes.ts'
import { signedInClient } from '../session.ts'
import { deliveriesRevision } from '../state/revisions.ts'
import { showInfo } from '../state/toasts.ts'
import { useLoaded } from '../use-loaded.ts'

/** The webhooks of the account and their delivery log. */
export function WebhooksPage() {
  const webhooks = useLoaded('webhooks', (signal) => signedInClient().webhooks.list({ signal }))
  const secret = useSignal<string | null>(null)
  return (
    <>
      <CreateWebhook
        onCreated={(created) => {
          secret.value = created
          webhooks.reload()
        }}
      />
      {secret.value === null ? null : <SecretOnce title="Signing secret" secret={secret.value} />}
      {webhooks.error === null ? null : (
        <Failure error={webhooks.error} onRetry={webhooks.reload} />
      )}
      {webhooks.value === null && webhooks.error === null ? <Loading /> : null}
      {webhooks.value?.length === 0 ? (
        <Empty icon="webhook" title="No webhook yet">
          Enter the URL of your endpoint above.
        </Empty>
      ) : null}
      <ul class="rows">
        {webhooks.value?.map((webhook) => (
          <WebhookRow key={webhook.id} item={webhook} onChanged={webhooks.reload} />
        ))}
      </ul>
      <DeliveryLog />
    </>
  )
}

function CreateWebhook({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const url = useSignal('')
  const error = useSignal<ErrorText | null>(null)
  const create = async () => {
    try {
      const { secret } = await signedInClient().webhooks.create(url.value.trim())
      url.value = ''
      error.value = null
      onCreated(secret)
    } catch (thrown) {
      error.value = errorText(thrown)
    }
  }
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <TextField
        label="Endpoint"
        type="url"
        placeholder="https://example.com/hooks/mayfly"
        isRequired
        isCode
        value={url.value}
        onChange={(value) => {
          url.value = value
        }}
      />
      <Button kind="primary" type="submit">
        Add webhook
      </Button>
      {error.value === null ? null : <Failure error={error.value} />}
    </form>
  )
}

function WebhookRow({
  item,
  onChanged,
}: {
  readonly item: Webhook
  readonly onChanged: () => void
}) {
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  const test = async () => {
    const { delivered, attempt } = await signedInClient().webhooks.test(item.id)
    const outcome = attempt.status === null ? (attempt.detail ?? attempt.error) : attempt.status
    showInfo(delivered ? `Delivered: ${outcome}` : `Not delivered: ${outcome}`)
    onChanged()
  }
  return (
    <li>
      <div class="row-main">
        <p class="mono">{item.url}</p>
        <p class="muted">
          created <Ago at={item.createdAt} />
          {item.lastDeliveryAt === null ? ' · nothing sent yet' : ' · last sent '}
          {item.lastDeliveryAt === null ? null : <Ago at={item.lastDeliveryAt} />}
          {item.lastStatus === null ? '' : `, ${item.lastStatus}`}
        </p>
      </div>
      {item.disabledAt === null ? null : <Badge kind="bad">disabled by 410</Badge>}
      <Button isSmall icon="play" onClick={test}>
        Test
      </Button>
      <Button isSmall onClick={setConfirming(true)}>
        Delete
      </Button>
      {isConfirming.value ? (
        <ConfirmDialog
          title="Delete this webhook?"
          text={`Nothing more is sent to ${item.url}.`}
          action="Delete webhook"
          onConfirm={async () => {
            await signedInClient().webhooks.delete(item.id)
            onChanged()
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </li>
  )
}

function DeliveryLog() {
  const log = useLoaded(`log ${deliveriesRevision.value}`, (signal) =>
    signedInClient().webhooks.deliveries({ limit: 50, signal }),
  )
  return (
    <section>
      <h3>Deliveries</h3>
      {log.error === null ? null : <Failure error={log.error} onRetry={log.reload} />}
      {log.value?.deliveries.length === 0 ? <p class="muted">Nothing was sent yet.</p> : null}
      <ul class="rows">
        {log.value?.deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} item={delivery} onReplayed={log.reload} />
        ))}
      </ul>
    </section>
  )
}

function DeliveryRow(props: { readonly item: Delivery; readonly onReplayed: () => void }) {
  const { id, url, status, attempts, createdAt, nextAttemptAt, inboxId, messageId } = props.item
  const last = attempts.at(-1)
  return (
    <li>
      <Badge kind={status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : 'warn'}>
        {status}
      </Badge>
      <div class="row-main">
        <p class="mono">{url}</p>
        <p class="muted">
          <Ago at={createdAt} /> · attempt {attempts.length}
          {last === undefined ? '' : `: ${last.status ?? last.detail ?? last.error}`}
          {nextAttemptAt === null ? '' : ' · will be retried · '}
          {nextAttemptAt === null ? ' · ' : null}
          <a href={hrefOf({ page: 'message', inboxId, messageId, tab: 'delivery' })}>message</a>
        </p>
      </div>
      <Button
        isSmall
        icon="refresh"
        onClick={async () => {
          const { delivery } = await signedInClient().webhooks.replay(id)
          showInfo(`Sent again: ${delivery.status}`)
          props.onReplayed()
        }}
      >
        Replay
      </Button>
    </li>
  )
}
