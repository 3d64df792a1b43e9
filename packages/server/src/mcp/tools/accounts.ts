import { z } from 'zod'
import { defineTool, READ_ONLY } from '../tool.ts'

/** The remaining limits of the account. */
export const accountTools = [
  defineTool({
    name: 'usage_left',
    description:
      'Returns how many inboxes may still be created, and the limits of requests and waits; null is no limit. Use it when a limit was reached.',
    input: z.strictObject({}),
    annotations: READ_ONLY,
    run: async ({ app, caller }) => {
      const { account, limits, usage } = await app.accounts.read(caller)
      const rest = (limit: number | null, used: number) =>
        limit === null ? null : Math.max(0, limit - used)
      return {
        plan: account.plan,
        inboxesLeftToday: rest(limits.inboxesPerDay, usage.inboxes),
        inboxesLeftThisMonth: rest(limits.inboxesPerMonth, usage.inboxesThisMonth),
        requestsPerMinute: limits.requestsPerMinute,
        concurrentWaits: limits.concurrentWaits,
        monthResetsAt: usage.monthResetsAt,
      }
    },
  }),
]
