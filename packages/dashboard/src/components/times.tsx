import type { Inbox } from '@mayfly/client'
import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { agoText, exactTime, spanText } from '../format.ts'
import { now } from '../state/clock.ts'

/**
 * Adds the exact text of a time when the pointer enters it. Not when it is rendered: the first text
 * of a date loads the browser's calendars, and a list has a hundred.
 */
export function showExactTimes(): void {
  document.addEventListener('pointerover', ({ target }) => {
    const time = target instanceof Element ? target.closest('time') : null
    if (time !== null) time.title = exactTime(time.dateTime)
  })
}

/** How long ago something was; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  // Signals are text of their own: a second that changes nothing renders nothing.
  const text = useMemo(() => computed(() => agoText(now.value - Date.parse(at))), [at])
  return <time dateTime={at}>{text}</time>
}

/** How long it takes until a time; the exact time on hover. */
export function Countdown({ to }: { readonly to: string }) {
  const text = useMemo(() => computed(() => spanText(Date.parse(to) - now.value)), [to])
  return <time dateTime={to}>{text}</time>
}

/** How long an inbox still accepts mail, or why it does not. */
export function Lifetime({ inbox }: { readonly inbox: Inbox }) {
  if (inbox.state !== 'active') return <>{inbox.state}</>
  if (inbox.expiresAt === null) return <>catch-all inbox</>
  return (
    <>
      <Countdown to={inbox.expiresAt} /> left
    </>
  )
}
