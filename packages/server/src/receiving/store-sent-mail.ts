import type { SendDeps } from '../features/compat/mailpit/send.ts'
import { createIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { MailsStored } from '../signals/thread-signals.ts'
import type { Store } from '../store/open.ts'
import { createCompose } from './compose.ts'
import type { ReceivedMail } from './received-mail.ts'
import { storeMails } from './store-mails.ts'

/** Stores a mail that a caller has sent, without announcing it; null when the inbox refuses it. */
export async function storeSentMail(
  { store, log }: { readonly store: Store; readonly log: Log },
  { request, raw, mailFrom, recipients }: Parameters<SendDeps['storeSentMail']>[0],
): ReturnType<SendDeps['storeSentMail']> {
  const { inboxId, mailId: id, receivedAt, remoteAddress, username, isScanned } = request
  const user = username === null ? null : { name: username }
  const received: ReceivedMail = {
    ...{ id, receivedAt, raw, transcript: [], protocol: null },
    envelope: { mailFrom, remoteAddress, helo: null, tls: null, user },
    recipients: recipients.map((address) => ({ address, inboxId, isCatchAll: true })),
  }
  const compose = createCompose({ hostName: '', isScanned, log })
  const clock = { now: () => receivedAt }
  const announced = Promise.withResolvers<MailsStored>()
  const deps = { store, clock, ids: createIds(clock), announce: announced.resolve }
  const options = { ifLocked: 'wait', isRepeated: false } as const
  const [stored] = await storeMails(deps, compose([received]), options)
  if (stored === undefined || stored === 'locked' || stored.messageId === null) return null
  return { messageId: stored.messageId, announcement: await announced.promise }
}
