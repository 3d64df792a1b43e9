import { heldWaitSchema, idSchema } from '@mayfly/contract'
import { z } from 'zod'

/**
 * Something that changed in an account and cannot be seen by looking at its inboxes, or not at
 * once. Arrivals are not among them: they are announced by their inboxes.
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

/** What nodes send each other: that they have streams of an account, or what happened in it. */
export const nodeMessageSchema = z.union([
  z.object({ watch: idSchema('account') }),
  z.object({ signal: accountSignalSchema }),
])

/** What nodes send each other. */
export type NodeMessage = Readonly<z.infer<typeof nodeMessageSchema>>
