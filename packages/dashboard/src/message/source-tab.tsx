import type { Message } from '@mayfly/client'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Button, IconButton } from '../components/controls.tsx'
import { Failure, Loading } from '../components/notices.tsx'
import { saveFile } from '../download.ts'
import { countText, sizeText, visibleText } from '../format.ts'
import { messagesOf } from '../session.ts'
import { useLoaded } from '../use-loaded.ts'

/** Most that is shown; a browser lays out more only slowly. The download has all. */
const SHOWN_BYTES_MAX = 512 * 1024
const MATCHES_MAX = 1000

/** The raw message. */
export function SourceTab({ message }: { readonly message: Message }) {
  const { inboxId, id } = message
  const raw = useLoaded(id, (signal) => messagesOf(inboxId).raw(id, { signal }))
  const wanted = useSignal('')
  const current = useSignal(0)
  if (raw.error !== null) return <Failure error={raw.error} onRetry={raw.reload} />
  if (raw.value === null) return <Loading lines={8} />
  const bytes = raw.value
  const text = visibleText(new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES_MAX)))
  const starts = matchesOf(text, wanted.value)
  const step = (by: number) => () => {
    current.value = (current.value + by + starts.length) % Math.max(1, starts.length)
  }
  return (
    <div class="source">
      <div class="source-tools">
        <input
          type="search"
          aria-label="Find in the source"
          placeholder="Find"
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value
            current.value = 0
          }}
        />
        <span class="muted" role="status">
          {wanted.value === ''
            ? ''
            : countText(starts.length, 'match').replace('matchs', 'matches')}
        </span>
        <IconButton
          icon="up"
          label="Previous match"
          isDisabled={starts.length === 0}
          onClick={step(-1)}
        />
        <IconButton
          icon="down"
          label="Next match"
          isDisabled={starts.length === 0}
          onClick={step(1)}
        />
        <span class="spring" />
        <Button icon="download" onClick={() => saveFile(bytes, `${id}.eml`)}>
          Download
        </Button>
      </div>
      {bytes.length > SHOWN_BYTES_MAX ? (
        <p class="muted">
          The first {sizeText(SHOWN_BYTES_MAX)} of {sizeText(bytes.length)}.
        </p>
      ) : null}
      <Marked text={text} starts={starts} length={wanted.value.length} current={current.value} />
    </div>
  )
}

function Marked(props: {
  readonly text: string
  readonly starts: readonly number[]
  readonly length: number
  readonly current: number
}) {
  const { text, starts, length, current } = props
  const element = useRef<HTMLPreElement>(null)
  useEffect(() => {
    element.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' })
  }, [starts.length, current])
  const parts: preact.ComponentChild[] = []
  let end = 0
  for (const [index, start] of starts.entries()) {
    parts.push(text.slice(end, start))
    parts.push(
      <mark key={start} aria-current={index === current ? 'true' : undefined}>
        {text.slice(start, start + length)}
      </mark>,
    )
    end = start + length
  }
  parts.push(text.slice(end))
  return (
    <pre class="raw" ref={element}>
      {parts}
    </pre>
  )
}

function matchesOf(text: string, wanted: string): readonly number[] {
  if (wanted === '') return []
  const starts: number[] = []
  const pattern = new RegExp(RegExp.escape(wanted), 'gi')
  for (const match of text.matchAll(pattern)) {
    starts.push(match.index)
    if (starts.length === MATCHES_MAX) break
  }
  return starts
}
