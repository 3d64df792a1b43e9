import { createInbox, createInboxBody, INBOXES_PAGE, idSchema, listInboxes } from '@mayfly/contract'
import { z } from 'zod'
import { ADDS, defineTool, READ_ONLY } from '../tool.ts'

/** Default and largest page for an agent: a list costs it context. */
const PAGE_DEFAULT = 20
const PAGE_MAX = 100

/** Creating, finding and deleting inboxes. */
export const inboxTools = [
  defineTool({
    name: 'create_inbox',
    description:
      'Creates a throw-away inbox with an email address of its own. Use it first, one per test, before you trigger the mail: give emailAddress to the application under test. It expires by itself.',
    input: createInboxBody.extend({
      domain: createInboxBody.shape.domain.describe(
        'A receiving domain, or `smart` for the best one.',
      ),
      catchAll: createInboxBody.shape.catchAll.describe(
        'Takes mail for any recipient, sent by SMTP AUTH: user name the id of the inbox, password an API key. Never expires.',
      ),
      keepMessages: createInboxBody.shape.keepMessages.describe('Of a catch-all inbox.'),
      idempotencyKey: createInbox.headers.shape['idempotency-key'].describe(
        'A repeated call with the same text returns the same inbox.',
      ),
    }),
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
    name: 'list_inboxes',
    description:
      'Lists the inboxes, newest first; without state those that still receive mail. Use it to find one again.',
    input: z.strictObject({
      state: listInboxes.querystring.shape.state,
      cursor: listInboxes.querystring.shape.cursor,
      limit: z.int().min(INBOXES_PAGE.min).max(PAGE_MAX).default(PAGE_DEFAULT),
    }),
    annotations: READ_ONLY,
    run: ({ app, caller }, input) => app.inboxes.list(caller, input),
  }),
  defineTool({
    name: 'get_inbox',
    description:
      'Returns an inbox with its state and watermark. Use it before you trigger a mail to an inbox that has messages: pass the watermark as `after` to a wait.',
    input: z.strictObject({ inboxId: idSchema('inbox') }),
    annotations: READ_ONLY,
    run: async ({ app, caller }, { inboxId }) => ({
      inbox: await app.inboxes.get(caller, inboxId),
    }),
  }),
  defineTool({
    name: 'delete_inbox',
    description:
      'Deletes an inbox and its mail for good. Use it when a test is over, only for inboxes that you created.',
    input: z.strictObject({ inboxId: idSchema('inbox') }),
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
