import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { startService } from '../testing-start-service.ts'
import { until } from '../testing-until.ts'

const DASHBOARD = new URL('../../../../deploy/grafana/cells.json', import.meta.url)

/** The queries of the dashboard, and of its variables. */
async function queries(): Promise<readonly string[]> {
  const { panels, templating } = JSON.parse(await readFile(DASHBOARD, 'utf8'))
  return [
    ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    ),
    ...templating.list.flatMap(({ query }: { query: string | { query: string } }) =>
      typeof query === 'string' ? [] : [query.query],
    ),
  ]
}

/** The labels of each metric that was served. */
function labelsOf(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = new Map<string, Set<string>>()
  for (const [, name = '', list = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const own = labels.get(name) ?? new Set()
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) own.add(label)
    labels.set(name, own)
  }
  return labels
}

describe('metrics of a cell', () => {
  it('have its name, count mails, and are all that the dashboard asks for', async () => {
    await using service = await startService({ env: { MAYFLY_METRICS: 'true', MAYFLY_CELL: 'c1' } })
    const dev = await service.register()
    const inbox = await dev.inboxes.create()
    await service.sendMail({ to: inbox.emailAddress })
    await inbox.waitForMessage()
    const text = await until(async () => {
      const metrics = await service.anonymous.get('/metrics')
      // The mail, and the wait, are counted after their responses.
      const isCounted = /mayfly_mails_stored_total\{cell="c1"\} 1\n/.test(metrics.text)
      return isCounted && metrics.text.includes('/wait"') ? metrics.text : null
    })
    const labels = labelsOf(text)
    for (const own of labels.values()) assert.ok(own.has('cell'))
    for (const query of await queries()) {
      const [, name = ''] = /\b((?:mayfly|process|nodejs)_\w+)/.exec(query) ?? []
      const own = labels.get(name)
      assert.ok(own !== undefined, `no metric ${name}`)
      const grouped = /by \(([\w, ]+)\)/.exec(query)?.[1]?.split(', ') ?? []
      const filtered = [...query.matchAll(/(\w+)[!=]~/g)].map(([, label = '']) => label)
      for (const label of [...grouped, ...filtered]) assert.ok(own.has(label), `${name} ${label}`)
      const left = /route!~"([^"]+)"/.exec(query)?.[1]
      if (left === undefined) continue
      const routes = new Set([...text.matchAll(/route="([^"]+)"/g)].map(([, route = '']) => route))
      const waiting = [...routes].filter((route) => new RegExp(`^${left}$`).test(route))
      assert.deepEqual(waiting, ['/v1/inboxes/:id/wait'])
    }
  })

  it('have no label without a cell', async () => {
    await using service = await startService({ env: { MAYFLY_METRICS: 'true' } })
    const { text } = await service.anonymous.get('/metrics')
    assert.doesNotMatch(text, /cell=/)
  })
})
