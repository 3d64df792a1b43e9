import type { AccountOverview } from '@mayfly/client/internal'
import { defineCommand } from '../command.ts'
import { CONNECTION_OPTIONS, connect, serviceUrl } from '../connection.ts'
import { formatTable, print, printJson } from '../output.ts'

/** Shows the account, its limits and its usage. */
export const account = defineCommand({
  name: 'account',
  summary: 'show the account, its limits and its usage',
  options: CONNECTION_OPTIONS,
  example: 'mayfly account',
  run: async ({ options, terminal }) => {
    const client = await connect(terminal, options)
    const overview = await client.account.read({ signal: terminal.interrupted })
    if (options.json) return printJson(terminal, overview)
    const { email, plan } = overview.account
    print(terminal, `${email} on plan ${plan} at ${await serviceUrl(terminal, options)}\n`)
    print(terminal, formatTable(terminal, ['', 'used', 'limit'], usageRows(overview)))
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
