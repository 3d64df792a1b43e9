import type { Inbox } from '@mayfly/client'
import { PROVIDERS, providerSettings } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { sendTestMail } from '../catch-all-calls.ts'
import { SENDING_EXAMPLES } from '../sending-examples.ts'
import { SERVICE } from '../session.ts'
import { service } from '../state/service.ts'
import { CodeBlock } from './code-block.tsx'
import { Button, Segments } from './controls.tsx'
import { SelectField } from './fields.tsx'

const SMTP = 'SMTP'

/** How to send to an inbox: by SMTP or by the API of a provider. */
export function Sending({ inbox, isOpen }: { readonly inbox: Inbox; readonly isOpen: boolean }) {
  const way = useSignal(SMTP)
  return (
    <details class="card" open={isOpen}>
      <summary>Send a mail here</summary>
      <div class="card-body">
        <SelectField
          label="Send by"
          value={way.value}
          options={[SMTP, ...PROVIDERS].map((name) => [name, name])}
          onChange={(value) => {
            way.value = value
          }}
        />
        {way.value === SMTP ? <BySmtp inbox={inbox} /> : <ByApi inbox={inbox} name={way.value} />}
      </div>
    </details>
  )
}

function BySmtp({ inbox }: { readonly inbox: Inbox }) {
  const name = useSignal('swaks')
  if (service.value === null) return null
  const { host, port } = service.value.smtp
  const recipient = inbox.catchAll
    ? { to: 'anyone@example.com', user: inbox.id }
    : { to: inbox.emailAddress, user: '' }
  const example = SENDING_EXAMPLES.find(([known]) => known === name.value)
  return (
    <>
      <p>
        Have your application send by SMTP to{' '}
        <code>
          {host}:{port}
        </code>
        {inbox.catchAll ? (
          <>
            {' '}
            to any address, with the user name <code>{inbox.id}</code> and one of your API keys as
            the password, here <code>MAYFLY_API_KEY</code>.
          </>
        ) : (
          ', without encryption or password.'
        )}
      </p>
      {inbox.catchAll ? (
        <Button icon="mail" onClick={() => sendTestMail(inbox.id)}>
          Send a test mail
        </Button>
      ) : null}
      <Segments
        label="Program"
        values={SENDING_EXAMPLES.map(([known]) => [known, known] as const)}
        selected={name.value}
        onSelect={(value) => {
          name.value = value
        }}
      />
      {example === undefined ? null : (
        <CodeBlock text={example[1]({ host, port, ...recipient })} label="lines" />
      )}
    </>
  )
}

function ByApi({ inbox, name }: { readonly inbox: Inbox; readonly name: string }) {
  const { baseUrl, key } = providerSettings(name.toLowerCase(), inbox, {
    ...SERVICE,
    apiKey: 'MAYFLY_API_KEY',
  })
  return (
    <>
      <p>
        Have your application's SDK for {name} send to this base URL with this key
        {name === 'SES' ? ', as access key id and as secret' : ''}, where{' '}
        <code>MAYFLY_API_KEY</code> is one of your API keys:
      </p>
      <CodeBlock text={baseUrl} label="base URL" />
      <CodeBlock text={key} label="key" />
    </>
  )
}
