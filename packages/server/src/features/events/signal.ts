import { heldWaitSchema, idSchema } from '@mayfly/contract'
import { z } from 'zod'

/**
 * A change in an account that queries of its inboxes do not show, or not at once. Arrivals are not
 * among them: they are announced by inbox.
 */
const accountSignalSchema = z
  .discriminatedUnion('about', [
    z.object({ about: z.literal('inbox'), inboxId: idSchema('inbox') }),
    z.object({
      about: z.literal('messages'),
      change: z.enum(['updated', 'deleted']),
      inboxId: idSchema('inbox'),
      messageIds: z.array(idSchema('message')).readonly(),
    }),
    z.object({ about: z.literal('delivery'), deliveryId: idSchema('event') }),
    z.object({
      about: z.literal('wait'),
      change: z.enum(['started', 'ended']),
      wait: heldWaitSchema,
    }),
  ])
  .and(z.object({ accountId: idSchema('account') }))

/** Something that changed in an account. */
export type AccountSignal = Readonly<z.infer<typeof accountSignalSchema>>

/** Messages between nodes: a request for the signals of an account, or its signals. */
export const nodeMessageSchema = z.union([
  z.object({ watch: idSchema('account') }),
  z.object({ signal: accountSignalSchema }),
])

/** The schema of messages between nodes. */
export type NodeMessage = Readonly<z.infer<typeof nodeMessageSchema>>
