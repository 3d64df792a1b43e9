import { registerAccount } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { CodeBlock } from '../components/code-block.tsx'
import { Button, CopyButton } from '../components/controls.tsx'
import { CheckField, TextField } from '../components/fields.tsx'
import { Icon, Logo } from '../components/icon.tsx'
import { Failure } from '../components/notices.tsx'
import { type ErrorText, errorText } from '../error-text.ts'
import { enterKey, SERVICE } from '../session.ts'

/** The command that opens this page signed in. */
const OPEN = 'npx mayfly open'

/** Whether the reader sits at the machine of the service, and can run its commands. */
const IS_OWN_MACHINE = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname)

/** The page for signing in without a link: with a key, or with a new account. */
export function SignIn({ reason }: { readonly reason: string | null }) {
  const isNew = useSignal(false)
  const issued = useSignal<string | null>(null)
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Logo size={40} />
        <h1>{titleOf(isNew.value, issued.value !== null)}</h1>
        {reason === null ? null : (
          <p class="notice" role="alert">
            <Icon name="info" />
            {reason}
          </p>
        )}
        {issued.value === null ? (
          <>
            {isNew.value || !IS_OWN_MACHINE ? null : <OpenByCommand />}
            {isNew.value ? <Register issued={issued} /> : <EnterKey />}
            <p class="switch">
              {isNew.value ? 'Do you have a key?' : 'No account yet?'}{' '}
              <button
                type="button"
                class="link"
                onClick={() => {
                  isNew.value = !isNew.value
                }}
              >
                {isNew.value ? 'Sign in with it' : 'Create one'}
              </button>
            </p>
            {IS_OWN_MACHINE ? null : (
              <p class="hint">
                On the machine of the service, <code>{OPEN}</code> signs you in with one click.
              </p>
            )}
          </>
        ) : (
          <ShowKey apiKey={issued.value} />
        )}
      </div>
    </main>
  )
}

function titleOf(isNew: boolean, hasKey: boolean): string {
  if (hasKey) return 'Your API key'
  return isNew ? 'Create an account' : 'Sign in to Mayfly'
}

function OpenByCommand() {
  return (
    <>
      <p>Run this in the folder of Mayfly. It opens this page again, signed in:</p>
      <CodeBlock text={OPEN} label="command" />
      <p class="or">or</p>
    </>
  )
}

function EnterKey() {
  const apiKey = useSignal('')
  const remember = useSignal(false)
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        enterKey(apiKey.value.trim(), { remember: remember.value })
      }}
    >
      <TextField
        label="API key"
        type="password"
        placeholder="mf_live_…"
        isRequired
        isCode
        value={apiKey.value}
        onChange={(value) => {
          apiKey.value = value
        }}
      />
      <CheckField
        hint="Otherwise this tab forgets the key when it closes."
        isChecked={remember.value}
        onChange={(value) => {
          remember.value = value
        }}
      >
        Remember on this device
      </CheckField>
      <Button kind="primary" type="submit">
        Sign in
      </Button>
    </form>
  )
}

function Register({ issued }: { readonly issued: { value: string | null } }) {
  const email = useSignal('')
  const error = useSignal<ErrorText | null>(null)
  const register = async () => {
    try {
      const { apiKey } = await registerAccount({ ...SERVICE, email: email.value.trim() })
      issued.value = apiKey
    } catch (thrown) {
      error.value = errorText(thrown)
    }
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void register()
      }}
    >
      <TextField
        label="Email"
        type="email"
        placeholder="you@example.com"
        autoComplete="email"
        isRequired
        value={email.value}
        onChange={(value) => {
          email.value = value
        }}
      />
      {error.value === null ? null : <Failure error={error.value} />}
      <Button kind="primary" type="submit">
        Create account
      </Button>
    </form>
  )
}

function ShowKey({ apiKey }: { readonly apiKey: string }) {
  const remember = useSignal(false)
  return (
    <div class="form">
      <p>It is shown only once. Store it where your tests can read it, as MAYFLY_API_KEY.</p>
      <p class="issued-key">
        <code>{apiKey}</code>
        <CopyButton text={apiKey} what="key" />
      </p>
      <CheckField
        isChecked={remember.value}
        onChange={(value) => {
          remember.value = value
        }}
      >
        Remember on this device
      </CheckField>
      <Button kind="primary" onClick={() => enterKey(apiKey, { remember: remember.value })}>
        Open the dashboard
      </Button>
    </div>
  )
}
