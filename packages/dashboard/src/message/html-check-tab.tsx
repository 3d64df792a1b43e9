import type { Message } from '@mayfly/client'
import type { MessageCalls } from '@mayfly/client/internal'
import { Badge } from '../components/controls.tsx'
import { Empty, Failure, Loading } from '../components/notices.tsx'
import { countText } from '../format.ts'
import { messagesOf } from '../session.ts'
import { useLoaded } from '../use-loaded.ts'
import { OutsideLink } from './text-tab.tsx'

type Check = Awaited<ReturnType<MessageCalls['htmlCheck']>>

/** Which mail clients support the HTML of a message. */
export function HtmlCheckTab({ message: { inboxId, id } }: { readonly message: Message }) {
  const check = useLoaded(id, (signal) => messagesOf(inboxId).htmlCheck(id, { signal }))
  if (check.error !== null) return <Failure error={check.error} onRetry={check.reload} />
  if (check.value === null) return <Loading lines={8} />
  const { support, hasHtml, elementCount, featureCount, dataDate } = check.value
  if (support === null) {
    return (
      <Empty icon="check" title={hasHtml ? 'Any mail client shows it' : 'This mail has no HTML'} />
    )
  }
  return (
    <div class="stack">
      <section>
        <p>
          <span class="figure">{percent(support.supported)}</span> supported,{' '}
          {percent(support.partial)} partly, {percent(support.unsupported)} not
        </p>
        <p class="muted">
          The mean of all mail clients, for {countText(featureCount, 'feature')} in{' '}
          {countText(elementCount, 'element')}, by the data of caniemail.com of {dataDate}.
        </p>
      </section>
      <Clients check={check.value} />
      <Warnings check={check.value} />
    </div>
  )
}

function percent(share: number): string {
  return `${Math.round(share)} %`
}

function Clients({ check: { clients } }: { readonly check: Check }) {
  const worstFirst = [...clients].sort((a, b) => a.supported - b.supported)
  return (
    <section>
      <h3>By mail client</h3>
      <ul class="clients">
        {worstFirst.map(({ client, name, supported }) => (
          <li key={client}>
            <span>{name}</span>
            <meter value={supported} max={100} low={70} high={90} optimum={100} aria-label={name} />
            <span class="share">{percent(supported)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Warnings({ check: { clients, warnings } }: { readonly check: Check }) {
  const names = new Map(clients.map(({ client, name }) => [client, name]))
  return (
    <section>
      <h3>{countText(warnings.length, 'feature')} that some do not fully support</h3>
      {warnings.map(({ slug, title, description, url, found, results }) => (
        <details key={slug} class="card">
          <summary>
            {title}{' '}
            <span class="muted">
              used {countText(found, 'time')}, {countText(results.length, 'mail client')}
            </span>
          </summary>
          <div class="card-body">
            <p>
              {description} <OutsideLink url={url} text="Details" />
            </p>
            <ul>
              {results.map(({ client, version, support, notes }) => (
                <li key={client}>
                  {names.get(client) ?? client} {version}{' '}
                  <Badge kind={support === 'partial' ? 'warn' : 'bad'}>{support}</Badge>{' '}
                  <span class="muted">{notes.join(' ')}</span>
                </li>
              ))}
            </ul>
          </div>
        </details>
      ))}
    </section>
  )
}
