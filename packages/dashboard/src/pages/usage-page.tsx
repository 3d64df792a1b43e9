import type { AccountOverview, UsageDay } from '@mayfly/client/internal'
import { useSignal } from '@preact/signals'
import { Segments } from '../components/controls.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { exactTime } from '../format.ts'
import { signedInClient } from '../session.ts'
import { useLoaded } from '../use-loaded.ts'

type Measure = 'requests' | 'inboxes'

/** Usage by day and against the limits of the plan. */
export function UsagePage() {
  const days = useSignal<'7' | '30' | '90'>('30')
  const measure = useSignal<Measure>('requests')
  const usage = useLoaded(days.value, (signal) =>
    signedInClient().account.usage({ days: Number(days.value), signal }),
  )
  const overview = useLoaded('account', (signal) => signedInClient().account.read({ signal }))
  return (
    <>
      {overview.error === null ? null : (
        <Failure error={overview.error} onRetry={overview.reload} />
      )}
      {overview.value === null ? <Loading /> : <Meters overview={overview.value} />}
      <section class="card chart-card">
        <div class="section-line">
          <Segments
            label="What is counted"
            values={[
              ['requests', 'Requests'],
              ['inboxes', 'Inboxes'],
            ]}
            selected={measure.value}
            onSelect={(value) => {
              measure.value = value
            }}
          />
          <Segments
            label="Days"
            values={[
              ['7', '7 days'],
              ['30', '30 days'],
              ['90', '90 days'],
            ]}
            selected={days.value}
            onSelect={(value) => {
              days.value = value
            }}
          />
        </div>
        {usage.error === null ? null : <Failure error={usage.error} onRetry={usage.reload} />}
        {usage.value === null ? <Loading /> : <Chart days={usage.value} measure={measure.value} />}
      </section>
      {overview.value === null || overview.value.account.plan === 'unlimited' ? null : (
        <Limits overview={overview.value} />
      )}
    </>
  )
}

function Meters({ overview: { usage, limits } }: { readonly overview: AccountOverview }) {
  const meters = [
    ['Requests today', usage.requests, null],
    ['Inboxes today', usage.inboxes, limits.inboxesPerDay],
    ['Inboxes this month', usage.inboxesThisMonth, limits.inboxesPerMonth],
  ] as const
  return (
    <ul class="meters">
      {meters.map(([name, value, max]) => (
        <li key={name} class="card">
          <p class="muted">{name}</p>
          <p class="figure">
            {value.toLocaleString()}
            {max === null ? null : <span class="muted"> of {max.toLocaleString()}</span>}
          </p>
          {max === null ? null : <meter value={value} max={max} aria-label={name} />}
        </li>
      ))}
    </ul>
  )
}

const CHART = { width: 720, height: 180, gap: 0.25 }

function Chart({
  days,
  measure,
}: {
  readonly days: readonly UsageDay[]
  readonly measure: Measure
}) {
  const values = days.map((day) => day[measure])
  const max = Math.max(1, ...values)
  const total = values.reduce((sum, value) => sum + value, 0)
  const step = CHART.width / days.length
  return (
    <figure class="chart">
      <figcaption>
        <span class="figure">{total.toLocaleString()}</span>{' '}
        <span class="muted">
          {measure} in {days.length} days, {Math.max(...values).toLocaleString()} on the busiest
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${CHART.width} ${CHART.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${measure} by day; the table below has the numbers`}
      >
        {days.map((day, index) => {
          const height = (day[measure] / max) * (CHART.height - 4)
          return (
            <g key={day.date}>
              <rect
                class="bar"
                x={index * step + (step * CHART.gap) / 2}
                y={CHART.height - Math.max(height, 1)}
                width={step * (1 - CHART.gap)}
                height={Math.max(height, 1)}
                rx="2"
              />
              <rect class="hit" x={index * step} y="0" width={step} height={CHART.height}>
                <title>{`${day.date}: ${day[measure].toLocaleString()}`}</title>
              </rect>
            </g>
          )
        })}
      </svg>
      <p class="axis">
        <span>{days[0]?.date}</span>
        <span>{days.at(-1)?.date}</span>
      </p>
      <UsageTable days={days} />
    </figure>
  )
}

function UsageTable({ days }: { readonly days: readonly UsageDay[] }) {
  return (
    <details class="usage-table">
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Requests</th>
            <th scope="col">Inboxes</th>
          </tr>
        </thead>
        <tbody>
          {[...days].reverse().map(({ date, requests, inboxes }) => (
            <tr key={date}>
              <th scope="row">{date}</th>
              <td>{requests.toLocaleString()}</td>
              <td>{inboxes.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function Limits({ overview: { limits, usage, account } }: { readonly overview: AccountOverview }) {
  const rows = [
    ['Requests a minute', limits.requestsPerMinute],
    ['Waits at the same time', limits.concurrentWaits],
    ['Webhooks', limits.webhooks],
    ['Custom domains', limits.customDomains],
    ['Days that messages are kept', limits.retentionDays],
  ] as const
  return (
    <section class="card">
      <h3>Limits of the plan {account.plan}</h3>
      <dl class="facts-list">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? 'no limit' : value.toLocaleString()}</dd>
          </div>
        ))}
        <div>
          <dt>Private domains</dt>
          <dd>{limits.privateDomains ? 'yes' : 'no'}</dd>
        </div>
        <div>
          <dt>Monthly usage resets</dt>
          <dd>{exactTime(usage.monthResetsAt)}</dd>
        </div>
      </dl>
    </section>
  )
}
