import type { MailHandler } from '@mayfly/smtp'
import { type AdmitDeps, type AdmittedRecipient, admitRecipient, admitSender } from './admit.ts'
import { type AuthenticateSenderDeps, authenticateSender } from './authenticate-sender.ts'
import { type ReceiveDeps, receiveMail } from './receive.ts'
import type { StorageRefusals } from './storage-refusals.ts'

/** Handles the calls of the SMTP server. */
export type ReceivingHandler = Required<MailHandler<AdmittedRecipient>>

export type HandlerDeps = AuthenticateSenderDeps &
  AdmitDeps &
  ReceiveDeps &
  Pick<ReceivingHandler, 'handshakeFailed'> & {
    /** Chooses the reply while the storage fails. */
    readonly failures: Pick<StorageRefusals, 'reply'>
  }

/** The path of a mail, by the steps of an SMTP dialogue: admit, then compose, store and reply. */
export function createHandler(deps: HandlerDeps): ReceivingHandler {
  const { failures } = deps
  return {
    authenticate: (credentials, client) =>
      authenticateSender(deps, credentials, client).catch((error: unknown) => {
        failures.reply(error)
        return { state: 'unavailable' }
      }),
    admitSender: (envelope) =>
      admitSender(deps, envelope).then(
        (reply) =>
          reply === null ? { state: 'accepted' } : { state: 'refused', why: 'fault', reply },
        (error: unknown) => ({ state: 'refused', why: failures.reply(error) }),
      ),
    admit: (address, envelope) =>
      admitRecipient(deps, address, envelope).catch((error: unknown) => ({
        state: 'refused',
        why: failures.reply(error),
      })),
    receive: (mail) => receiveMail(deps, mail).catch((error: unknown) => failures.reply(error)),
    rejected: ({ envelope, recipients, reply, reason }) => {
      const inboxIds = [...new Set(recipients.map(({ inboxId }) => inboxId))]
      deps.refusals
        .addRejectedMail({ inboxIds, reply, reason: { code: reason }, sender: envelope })
        .catch(deps.onUnrecorded)
    },
    handshakeFailed: deps.handshakeFailed,
  }
}
