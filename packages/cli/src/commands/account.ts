import type { AccountOverview } from '@mayfly/client/internal'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect, serviceUrl } from '../connection.ts'
import { formatTable, print, printJson } from '../output.ts'

/** Shows the account, its usage and, where it has any, its limits. */
export const account = defineCommand({
  name: 'account',
  summary: 'show the account and its usage',
  options: CONNECTION_OPTIONS,
  example: 'mayfly account',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const overview = await client.account.read({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, overview)
    const { email, plan } = overview.account
    const isLimited = plan !== 'unlimited'
    const at = `at ${await serviceUrl(terminal, options)}`
    print(terminal, `${email}${isLimited ? ` on plan ${plan}` : ''} ${at}\n`)
    const rows = usageRows(overview)
    if (isLimited) return print(terminal, formatTable(terminal, ['', 'used', 'limit'], rows))
    const used = rows.filter(([, count]) => count !== '').map((row) => row.slice(0, 2))
    print(terminal, formatTable(terminal, ['', 'used'], used))
  },
})

/** Prints the email of the account. */
export const whoami = defineCommand({
  name: 'whoami',
  summary: 'print the email of the account',
  options: CONNECTION_OPTIONS,
  example: 'mayfly whoami',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const { account } = await client.account.read({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, account)
    print(terminal, account.email)
  },
})

function usageRows({ limits, usage }: AccountOverview): readonly (readonly string[])[] {
  const limit = (value: number | null) => (value === null ? 'none' : String(value))
  return [
    ['inboxes this month', String(usage.inboxesThisMonth), limit(limits.inboxesPerMonth)],
    ['inboxes today', String(usage.inboxes), limit(limits.inboxesPerDay)],
    ['requests today', String(usage.requests), ''],
    ['requests a minute', '', limit(limits.requestsPerMinute)],
    ['concurrent waits', '', limit(limits.concurrentWaits)],
    ['webhooks', '', limit(limits.webhooks)],
    ['custom domains', '', limit(limits.customDomains)],
    ['private domains', '', limits.privateDomains ? 'yes' : 'no'],
    ['days of retention', '', limit(limits.retentionDays)],
  ]
}
