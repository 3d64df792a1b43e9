import { useSignal } from '@preact/signals'
import { Badge, Button, Segments } from '../components/controls.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { CheckField } from '../components/fields.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { isRemembered, rememberKey, signedInClient, signOut } from '../session.ts'
import { preferences, setPreferences } from '../state/preferences.ts'
import { service } from '../state/service.ts'
import { showInfo } from '../state/toasts.ts'
import { useLoaded } from '../use-loaded.ts'

/** The account and the preferences of this browser. */
export function SettingsPage() {
  const remembered = useSignal(isRemembered())
  return (
    <>
      <AccountCard />
      <section class="card stack">
        <h3>This browser</h3>
        <div class="setting">
          <span>Colours</span>
          <Segments
            label="Colours"
            values={[
              ['system', 'System'],
              ['light', 'Light'],
              ['dark', 'Dark'],
            ]}
            selected={preferences.value.theme}
            onSelect={(theme) => setPreferences({ theme })}
          />
        </div>
        <CheckField
          hint="j, k, c, / and the others; ? lists them."
          isChecked={preferences.value.hasShortcuts}
          onChange={(hasShortcuts) => setPreferences({ hasShortcuts })}
        >
          Keyboard shortcuts
        </CheckField>
        <CheckField
          hint="When a mail arrives while you look elsewhere."
          isChecked={preferences.value.hasNotifications}
          onChange={(isWanted) => void setNotifications(isWanted)}
        >
          Desktop notifications
        </CheckField>
        <CheckField
          hint="Otherwise this tab forgets the key when it closes."
          isChecked={remembered.value}
          onChange={(remember) => {
            rememberKey(remember)
            remembered.value = remember
          }}
        >
          Stay signed in on this device
        </CheckField>
        <Button icon="out" onClick={() => signOut()}>
          Sign out
        </Button>
      </section>
      <p class="muted">
        Mayfly {service.value?.version} · <a href="/docs">API reference</a>
      </p>
    </>
  )
}

async function setNotifications(isWanted: boolean): Promise<void> {
  const isAllowed = isWanted && (await Notification.requestPermission()) === 'granted'
  if (isWanted && !isAllowed) showInfo('The browser does not allow notifications for this page')
  setPreferences({ hasNotifications: isAllowed })
}

function AccountCard() {
  const overview = useLoaded('account', (signal) => signedInClient().account.read({ signal }))
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  const connect = async () => {
    const { authorizationUrl } = await signedInClient().internal.connectAccount()
    location.assign(authorizationUrl)
  }
  if (overview.error !== null) return <Failure error={overview.error} onRetry={overview.reload} />
  if (overview.value === null) return <Loading />
  const { account } = overview.value
  return (
    <section class="card stack">
      <h3>Account</h3>
      <dl class="facts-list">
        <div>
          <dt>Email</dt>
          <dd>{account.email}</dd>
        </div>
        {account.plan === 'unlimited' ? null : (
          <div>
            <dt>Plan</dt>
            <dd>{account.plan}</dd>
          </div>
        )}
        {/* It raises limits. */}
        {account.connected ||
        (service.value?.hasExternalAccounts === true && account.plan !== 'unlimited') ? (
          <div>
            <dt>External account</dt>
            <dd>
              {account.connected ? (
                <Badge kind="good">connected</Badge>
              ) : (
                <Badge>not connected</Badge>
              )}{' '}
              <Button isSmall onClick={account.connected ? setConfirming(true) : connect}>
                {account.connected ? 'Disconnect' : 'Connect'}
              </Button>
            </dd>
          </div>
        ) : null}
      </dl>
      {isConfirming.value ? (
        <ConfirmDialog
          title="Disconnect the external account?"
          text="The account returns to its previous plan."
          action="Disconnect"
          onConfirm={async () => {
            await signedInClient().internal.disconnectAccount()
            overview.reload()
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </section>
  )
}
