import type { Domain } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { Badge, Button, Copyable } from '../components/controls.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Empty, Failure, Loading } from '../components/notices.tsx'
import { Ago } from '../components/times.tsx'
import { type ErrorText, errorText } from '../error-text.ts'
import { signedInClient } from '../session.ts'
import { showInfo } from '../state/toasts.ts'
import { useLoaded } from '../use-loaded.ts'

const STATES = {
  pending: ['warn', 'The TXT record was not found yet.'],
  verified: ['accent', 'Ownership is verified. Point its MX record here to receive mail.'],
  active: ['good', 'It receives mail.'],
} as const

/** The account's own domains. */
export function DomainsPage() {
  const domains = useLoaded('domains', (signal) => signedInClient().domains.listCustom({ signal }))
  return (
    <>
      <RegisterDomain onRegistered={domains.reload} />
      {domains.error === null ? null : <Failure error={domains.error} onRetry={domains.reload} />}
      {domains.value === null && domains.error === null ? <Loading /> : null}
      {domains.value?.length === 0 ? (
        <Empty icon="globe" title="No domain of your own">
          The domains of this service work without any setup.
        </Empty>
      ) : null}
      <ul class="cards">
        {domains.value?.map((domain) => (
          <li key={domain.domain} class="card">
            <DomainCard item={domain} onChanged={domains.reload} />
          </li>
        ))}
      </ul>
    </>
  )
}

function RegisterDomain({ onRegistered }: { readonly onRegistered: () => void }) {
  const name = useSignal('')
  const error = useSignal<ErrorText | null>(null)
  const register = async () => {
    try {
      await signedInClient().domains.register(name.value.trim())
      name.value = ''
      error.value = null
      onRegistered()
    } catch (thrown) {
      error.value = errorText(thrown)
    }
  }
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        void register()
      }}
    >
      <TextField
        label="Domain"
        placeholder="mail.example.com"
        isRequired
        isCode
        value={name.value}
        onChange={(value) => {
          name.value = value
        }}
      />
      <Button kind="primary" type="submit">
        Register
      </Button>
      {error.value === null ? null : <Failure error={error.value} />}
    </form>
  )
}

function DomainCard({
  item,
  onChanged,
}: {
  readonly item: Domain
  readonly onChanged: () => void
}) {
  const [kind, text] = STATES[item.state]
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  const verify = async () => {
    const checked = await signedInClient().domains.verify(item.domain)
    showInfo(`${checked.domain} is ${checked.state}`)
    onChanged()
  }
  return (
    <>
      <div class="card-line">
        <h3>{item.domain}</h3>
        <Badge kind={kind}>{item.state}</Badge>
        <span class="spring" />
        <Button isSmall kind={item.state === 'active' ? 'plain' : 'primary'} onClick={verify}>
          Verify
        </Button>
        <Button isSmall onClick={setConfirming(true)}>
          Delete
        </Button>
      </div>
      <p class="muted">
        {text} {item.lastCheckedAt === null ? null : 'Checked '}
        {item.lastCheckedAt === null ? null : <Ago at={item.lastCheckedAt} />}
      </p>
      <Records item={item} />
      {isConfirming.value ? (
        <ConfirmDialog
          title={`Delete ${item.domain}?`}
          text="Its inboxes expire at once, and anyone can then register the domain."
          action="Delete domain"
          onConfirm={async () => {
            await signedInClient().domains.delete(item.domain)
            onChanged()
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </>
  )
}

function Records({ item: { txtRecord, mxRecord } }: { readonly item: Domain }) {
  const records = [
    { ...txtRecord, text: txtRecord.value },
    { ...mxRecord, text: `${mxRecord.priority} ${mxRecord.value}` },
  ]
  return (
    <dl class="records">
      {records.map(({ type, name, text }) => (
        <div key={type}>
          <dt>
            <Badge>{type}</Badge>
          </dt>
          <dd>
            <p class="hint">Name</p>
            <Copyable text={name} what={`name of the ${type} record`} />
            <p class="hint">Value</p>
            <Copyable text={text} what={`value of the ${type} record`} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
