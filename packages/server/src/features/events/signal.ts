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
      change: z.enum(['read', 'tags', 'tagNames', 'checks', 'deleted', 'emptied']),
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

/**
 * What changed in messages: whether they are read, their tags, the name of a tag that one of them
 * has, or the checks of their senders and attachments. `emptied`: all of the inbox were deleted.
 */
export type MessageChange = Extract<AccountSignal, { readonly about: 'messages' }>['change']

/** Messages between nodes: a request for the signals of an account, or its signals. */
export const nodeMessageSchema = z.union([
  z.object({ watch: idSchema('account') }),
  z.object({ signal: accountSignalSchema }),
])

/** The schema of messages between nodes. */
export type NodeMessage = Readonly<z.infer<typeof nodeMessageSchema>>
