import type { Inbox } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { navigate } from '../route.ts'
import { hrefOf } from '../routes.ts'
import { deleteInbox, type InboxEntry } from '../state/inboxes.ts'
import { Button, CopyButton, IconLink } from './controls.tsx'
import { Diagnosis } from './diagnosis.tsx'
import { ConfirmDialog } from './dialog.tsx'
import { OpenWaits } from './open-waits.tsx'
import { Sending } from './sending.tsx'
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
