import { accountSchema, limitsSchema, usageTodaySchema } from '@mayfly/contract'
import { z } from 'zod'
import { defineTool, READ_ONLY } from '../tool.ts'

const left = z.int().nullable().describe('Null if there is no limit.')

/** The remaining limits of the account. */
export const accountTools = [
  defineTool({
    name: 'usage_left',
    title: 'Usage left',
    description:
      'Returns how many inboxes the account may still create today and this month, and its limits for requests per minute and concurrent waits. Use it before you create many inboxes, or when a limit was reached.',
    input: z.strictObject({}),
    output: z.object({
      plan: accountSchema.shape.plan,
      inboxesLeftToday: left,
      inboxesLeftThisMonth: left,
      requestsPerMinute: limitsSchema.shape.requestsPerMinute,
      concurrentWaits: limitsSchema.shape.concurrentWaits,
      monthResetsAt: usageTodaySchema.shape.monthResetsAt,
    }),
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
