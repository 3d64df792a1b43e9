import type { Inbox } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { sendTestMail } from '../catch-all-calls.ts'
import { navigate } from '../route.ts'
import { hrefOf } from '../routes.ts'
import { SENDING_EXAMPLES } from '../sending-examples.ts'
import { deleteInbox, type InboxEntry } from '../state/inboxes.ts'
import { service } from '../state/service.ts'
import { CodeBlock } from './code-block.tsx'
import { Button, CopyButton, IconLink, Segments } from './controls.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { OpenWaits } from './open-waits.tsx'
import { Ago, Countdown } from './times.tsx'

/** An inbox: its address, how to send to it, and what happened to mail for it. */
export function InboxDetail({ entry }: { readonly entry: InboxEntry }) {
  const { inbox, messageCount } = entry
  const isEmpty = messageCount === 0
  const back = isEmpty ? hrefOf({ page: 'inboxes' }) : hrefOf({ page: 'inbox', inboxId: inbox.id })
  return (
    <div class="inbox-detail">
      <header class="pane-header narrow">
        <IconLink icon="back" label="Back" href={back} />
        <p class="address">{inbox.emailAddress}</p>
      </header>
      <div class="detail-body">
        <AddressCard inbox={inbox} isEmpty={isEmpty} />
        {isEmpty ? <OpenWaits inboxId={inbox.id} /> : null}
        {inbox.state === 'active' ? <Sending inbox={inbox} isOpen={isEmpty} /> : null}
        <Diagnosis inbox={inbox} messageCount={messageCount} />
        <DeleteInbox inbox={inbox} />
      </div>
    </div>
  )
}

function AddressCard({ inbox, isEmpty }: { readonly inbox: Inbox; readonly isEmpty: boolean }) {
  return (
    <section class="address-card" aria-label="Address">
      {isEmpty && inbox.state === 'active' ? (
        <p class="listening">
          <span class="pulse" /> Waiting for the first mail
        </p>
      ) : null}
      <div class="big-address">
        <h2>{inbox.emailAddress}</h2>
        <CopyButton text={inbox.emailAddress} what="address" />
      </div>
      <p class="facts">
        {inbox.state === 'active' ? (
          inbox.expiresAt === null ? (
            `Catch-all inbox: takes mail for any recipient, keeps the newest ${inbox.keepMessages}`
          ) : (
            <>
              Expires in <Countdown to={inbox.expiresAt} />
            </>
          )
        ) : (
          `This inbox is ${inbox.state} and accepts no mail`
        )}
        {' · created '}
        <Ago at={inbox.createdAt} />
        {inbox.environment === 'test' ? ' · test key' : null}
      </p>
    </section>
  )
}

function Sending({ inbox, isOpen }: { readonly inbox: Inbox; readonly isOpen: boolean }) {
  const name = useSignal('swaks')
  if (service.value === null) return null
  const { host, port } = service.value.smtp
  const recipient = inbox.catchAll
    ? { to: 'anyone@example.com', user: inbox.id }
    : { to: inbox.emailAddress, user: '' }
  const example = SENDING_EXAMPLES.find(([known]) => known === name.value)
  return (
    <details class="card" open={isOpen}>
      <summary>Send a mail here</summary>
      <div class="card-body">
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
      </div>
    </details>
  )
}

function DeleteInbox({ inbox }: { readonly inbox: Inbox }) {
  const isConfirming = useSignal(false)
  const setConfirming = (value: boolean) => () => {
    isConfirming.value = value
  }
  return (
    <div class="danger-zone">
      <Button icon="trash" onClick={setConfirming(true)}>
        Delete inbox
      </Button>
      {isConfirming.value ? (
        <ConfirmDialog
          title="Delete this inbox?"
          text={`${inbox.emailAddress} and all its messages are deleted at once. Tests that wait here end with an error.`}
          action="Delete inbox"
          onConfirm={async () => {
            await deleteInbox(inbox.id)
            navigate({ page: 'inboxes' }, { replace: true })
          }}
          onClose={setConfirming(false)}
        />
      ) : null}
    </div>
  )
}
