import type { Key } from '@mayfly/client'
import type { Environment, IssuedKey, Role } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { Badge, Button } from '../components/controls.tsx'
import { ConfirmDialog, Dialog } from '../components/dialog.tsx'
import { SelectField, TextField } from '../components/fields.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { Ago } from '../components/times.tsx'
import { type ErrorText, errorText } from '../error-text.ts'
import { exactTime } from '../format.ts'
import { replaceKey, session, signedInClient } from '../session.ts'
import { useLoaded } from '../use-loaded.ts'

/** The keys of the account. */
export function KeysPage() {
  const keys = useLoaded('keys', (signal) => signedInClient().internal.listKeys({ signal }))
  const isCreating = useSignal(false)
  const issued = useSignal<IssuedKey | null>(null)
  const setCreating = (value: boolean) => () => {
    isCreating.value = value
  }
  return (
    <>
      <div class="actions">
        <Button kind="primary" icon="plus" onClick={setCreating(true)}>
          New key
        </Button>
        <RotateKey
          onRotated={(rotated) => {
            issued.value = rotated
            keys.reload()
          }}
        />
      </div>
      {issued.value === null ? null : (
        <SecretOnce title={`Key “${issued.value.key.name}”`} secret={issued.value.apiKey} />
      )}
      {keys.error === null ? null : <Failure error={keys.error} onRetry={keys.reload} />}
      {keys.value === null && keys.error === null ? <Loading /> : null}
      <ul class="rows">
        {keys.value?.keys.map((key) => (
          <KeyRow key={key.id} item={key} onRevoked={keys.reload} />
        ))}
      </ul>
      {keys.value === null || keys.value.sessions.length === 0 ? null : (
        <>
          <h3>Signed-in browsers</h3>
          <ul class="rows">
            {keys.value.sessions.map((key) => (
              <KeyRow key={key.id} item={key} onRevoked={keys.reload} />
            ))}
          </ul>
        </>
      )}
      {isCreating.value ? (
        <CreateKey
          onClose={setCreating(false)}
          onCreated={(created) => {
            issued.value = created
            keys.reload()
          }}
        />
      ) : null}
    </>
  )
}

function KeyRow({ item, onRevoked }: { readonly item: Key; readonly onRevoked: () => void }) {
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  return (
    <li>
      <div class="row-main">
        <p>
          <strong>{item.name}</strong> <Badge>{item.role}</Badge> <Badge>{item.environment}</Badge>
          {isOwn(item) ? <Badge kind="accent">this page</Badge> : null}
        </p>
        <p class="muted">
          <code>{item.prefix}…</code> · created <Ago at={item.createdAt} />
          {item.lastUsedAt === null ? ' · never used' : ' · used '}
          {item.lastUsedAt === null ? null : <Ago at={item.lastUsedAt} />}
          {item.expiresAt === null ? null : ` · until ${exactTime(item.expiresAt)}`}
        </p>
      </div>
      <Button isSmall onClick={setConfirming(true)}>
        Revoke
      </Button>
      {isConfirming.value ? (
        <ConfirmDialog
          title={`Revoke “${item.name}”?`}
          text={`Requests with this key are refused from now on. ${isOwn(item) ? 'This page uses it: you will be signed out.' : ''}`}
          action="Revoke key"
          onConfirm={async () => {
            await signedInClient().keys.revoke(item.id)
            onRevoked()
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </li>
  )
}

function isOwn({ prefix }: Key): boolean {
  return session.value.state === 'signed-in' && session.value.apiKey.startsWith(prefix)
}

function RotateKey({ onRotated }: { readonly onRotated: (rotated: IssuedKey) => void }) {
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  return (
    <>
      <Button icon="refresh" onClick={setConfirming(true)}>
        Rotate this page's key
      </Button>
      {isConfirming.value ? (
        <ConfirmDialog
          title="Rotate the key of this page?"
          text="The key gets a new secret, which this page then uses. Requests with the old secret are refused from now on."
          action="Rotate key"
          onConfirm={async () => {
            const rotated = await signedInClient().keys.rotate()
            replaceKey(rotated.apiKey)
            onRotated(rotated)
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </>
  )
}

function CreateKey(props: {
  readonly onClose: () => void
  readonly onCreated: (created: IssuedKey) => void
}) {
  const name = useSignal('')
  const role = useSignal<Role>('member')
  const environment = useSignal<Environment>('live')
  const error = useSignal<ErrorText | null>(null)
  const create = async () => {
    try {
      const options = { name: name.value, role: role.value, environment: environment.value }
      props.onCreated(await signedInClient().keys.create(options))
      props.onClose()
    } catch (thrown) {
      error.value = errorText(thrown)
    }
  }
  return (
    <Dialog title="New key" onClose={props.onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <TextField
          label="Name"
          placeholder="CI"
          isRequired
          value={name.value}
          onChange={(value) => {
            name.value = value
          }}
        />
        <SelectField
          label="Role"
          value={role.value}
          onChange={(value) => {
            role.value = value === 'admin' ? 'admin' : 'member'
          }}
          options={[
            ['member', 'Member: inboxes and mail'],
            ['admin', 'Admin: keys and domains as well'],
          ]}
        />
        <SelectField
          label="Environment"
          value={environment.value}
          onChange={(value) => {
            environment.value = value === 'test' ? 'test' : 'live'
          }}
          options={[
            ['live', 'Live'],
            ['test', 'Test'],
          ]}
        />
        {error.value === null ? null : <Failure error={error.value} />}
        <footer>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Create key
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
