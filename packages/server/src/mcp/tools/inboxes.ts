import { createInbox, createInboxBody, idSchema, inboxSchema } from '@mayfly/contract'
import { z } from 'zod'
import { ADDS, defineTool, READ_ONLY } from '../tool.ts'

/** Creating and deleting inboxes. */
export const inboxTools = [
  defineTool({
    name: 'create_inbox',
    title: 'Create an inbox',
    description:
      'Creates a throw-away inbox with an email address of its own. Use it first, before you trigger the mail: give emailAddress to the application under test, keep id for every other tool. One inbox a test keeps tests apart. It expires by itself; delete_inbox ends it sooner.',
    input: createInboxBody.extend({
      domain: createInboxBody.shape.domain.describe(
        'A receiving domain, or `smart`: the best one. The first public one when left out.',
      ),
      idempotencyKey: createInbox.headers.shape['idempotency-key'].describe(
        'Any text of yours: a repeat of the call with the same one returns the same inbox.',
      ),
    }),
    output: z.object({ inbox: inboxSchema }),
    annotations: ADDS,
    run: async ({ app, caller }, { idempotencyKey, ...options }) => {
      const { inbox } = await app.inboxes.create(caller, {
        ...options,
        idempotencyKey: idempotencyKey ?? null,
      })
      return { inbox }
    },
  }),
  defineTool({
    name: 'delete_inbox',
    title: 'Delete an inbox',
    description:
      'Purges an inbox and every message in it, at once and for good. Use it when a test is over. Delete only inboxes that you created for this task.',
    input: z.strictObject({ inboxId: idSchema('inbox') }),
    output: z.object({ deleted: z.boolean(), inboxId: idSchema('inbox') }),
    annotations: {
      ...READ_ONLY,
      readOnlyHint: false,
      destructiveHint: true,
    },
    run: async ({ app, caller }, { inboxId }) => {
      await app.inboxes.delete(caller, inboxId)
      return { deleted: true, inboxId }
    },
  }),
]
