import {
  createInbox,
  createInboxBody,
  INBOXES_PAGE,
  idSchema,
  inboxSchema,
  listInboxes,
} from '@mayfly/contract'
import { z } from 'zod'
import { ADDS, defineTool, READ_ONLY } from '../tool.ts'

/** Default and largest page for an agent: a list costs it context. */
const PAGE_DEFAULT = 20
const PAGE_MAX = 100

/** Creating, finding and deleting inboxes. */
export const inboxTools = [
  defineTool({
    name: 'create_inbox',
    title: 'Create an inbox',
    description:
      'Creates a throw-away inbox with an email address of its own. Use it first, before you trigger the mail: give emailAddress to the application under test, keep id for every other tool. Use one inbox per test. It expires by itself; delete_inbox ends it sooner. With catchAll it is a catch-all inbox, for an application whose recipients you cannot choose: its SMTP user name is the id of the inbox, its password an API key.',
    input: createInboxBody.extend({
      domain: createInboxBody.shape.domain.describe(
        'A receiving domain, or `smart` for the best one. Default: the first public domain.',
      ),
      idempotencyKey: createInbox.headers.shape['idempotency-key'].describe(
        'Any text; a repeated call with the same text returns the same inbox.',
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
    name: 'list_inboxes',
    title: 'List inboxes',
    description:
      'Lists the inboxes of the account, newest first, each with its watermark. Use it to find an inbox again; without state it lists those that still receive mail.',
    input: z.strictObject({
      state: listInboxes.querystring.shape.state,
      cursor: listInboxes.querystring.shape.cursor,
      limit: z.int().min(INBOXES_PAGE.min).max(PAGE_MAX).default(PAGE_DEFAULT),
    }),
    output: z.object({
      inboxes: z.array(inboxSchema),
      nextCursor: listInboxes.response[200].shape.nextCursor,
    }),
    annotations: READ_ONLY,
    run: ({ app, caller }, input) => app.inboxes.list(caller, input),
  }),
  defineTool({
    name: 'get_inbox',
    title: 'Read an inbox',
    description:
      'Returns one inbox: its address, state, number of messages and watermark. Use it before you trigger a mail to an inbox that already has messages: pass the watermark as `after` to a wait, so that only later mail counts.',
    input: z.strictObject({ inboxId: idSchema('inbox') }),
    output: z.object({ inbox: inboxSchema }),
    annotations: READ_ONLY,
    run: async ({ app, caller }, { inboxId }) => ({
      inbox: await app.inboxes.get(caller, inboxId),
    }),
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
