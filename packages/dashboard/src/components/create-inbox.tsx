import { useSignal } from '@preact/signals'
import { type ErrorText, errorText } from '../error-text.ts'
import { navigate } from '../route.ts'
import { signedInClient } from '../session.ts'
import { createInbox } from '../state/inboxes.ts'
import { useLoaded } from '../use-loaded.ts'
import { Button } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { CheckField, SelectField, TextField } from './fields.tsx'
import { Failure } from './notices.tsx'

const LIFETIMES: readonly (readonly [string, string])[] = [
  ['600', '10 minutes'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['259200', '3 days'],
  ['604800', '7 days'],
]

/** The form for the address and lifetime of a new inbox; both have defaults. */
export function CreateInbox({ onClose }: { readonly onClose: () => void }) {
  const domains = useLoaded('domains', (signal) => signedInClient().domains.list({ signal }))
  const localPart = useSignal('')
  const domain = useSignal('')
  const ttlSeconds = useSignal('86400')
  const isCatchAll = useSignal(false)
  const error = useSignal<ErrorText | null>(null)
  const chosen = () => ({
    ttlSeconds: Number(ttlSeconds.value),
    ...(localPart.value.trim() === '' ? {} : { localPart: localPart.value.trim() }),
  })
  const create = async () => {
    try {
      const inbox = await createInbox({
        ...(isCatchAll.value ? { catchAll: true } : chosen()),
        ...(domain.value === '' ? {} : { domain: domain.value }),
      })
      onClose()
      navigate({ page: 'inbox', inboxId: inbox.id })
    } catch (thrown) {
      error.value = refusalText(thrown)
    }
  }
  return (
    <Dialog title="New inbox" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        {isCatchAll.value ? null : (
          <TextField
            label="Address"
            hint="Leave it empty for a random one."
            placeholder="signup-test"
            isCode
            value={localPart.value}
            onChange={(value) => {
              localPart.value = value
            }}
          />
        )}
        <SelectField
          label="Domain"
          value={domain.value}
          onChange={(value) => {
            domain.value = value
          }}
          options={[
            ['', 'Default'],
            ...(domains.value ?? []).map(
              ({ domain: name, type }) =>
                [name, type === 'public' ? name : `${name} (${type})`] as const,
            ),
          ]}
        />
        {isCatchAll.value ? null : (
          <SelectField
            label="Lifetime"
            value={ttlSeconds.value}
            onChange={(value) => {
              ttlSeconds.value = value
            }}
            options={LIFETIMES}
          />
        )}
        <CheckField
          hint="Takes mail for any recipient of any domain, sent with its SMTP credentials, and never expires."
          isChecked={isCatchAll.value}
          onChange={(value) => {
            isCatchAll.value = value
          }}
        >
          Catch-all inbox
        </CheckField>
        {error.value === null ? null : <Failure error={error.value} />}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Create inbox
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

/** The message of the service, with the name of the field on this page. */
function refusalText(thrown: unknown): ErrorText {
  const { text, requestId } = errorText(thrown)
  return { text: text.replace('localPart', 'Address'), requestId }
}
