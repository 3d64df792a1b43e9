import type { EventId } from '@mayfly/contract'
import type { Tables } from '../../store/all-tables.ts'
import type { AccountSignal } from './signal.ts'

/** That messages of these mails were updated. */
export async function signalsOfMails(
  { messages }: Tables,
  mailIds: readonly string[],
): Promise<readonly AccountSignal[]> {
  const found = await messages.listOfMails(mailIds)
  return found.map(({ messageId, ...of }) => ({
    ...of,
    about: 'messages',
    change: 'checks',
    messageIds: [messageId],
  }))
}

/** That these deliveries were updated. */
export async function signalsOfDeliveries(
  { deliveries }: Tables,
  deliveryIds: readonly EventId[],
): Promise<readonly AccountSignal[]> {
  const owners = await deliveries.listOwners(deliveryIds)
  return owners.map((owner) => ({ ...owner, about: 'delivery' }))
}
