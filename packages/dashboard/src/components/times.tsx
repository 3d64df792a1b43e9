import { agoText, exactTime, spanText } from '../format.ts'
import { now } from '../state/clock.ts'

/** How long ago something was; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {agoText(now.value - Date.parse(at))}
    </time>
  )
}

/** How long it takes until a time; the exact time on hover. */
export function Countdown({ to }: { readonly to: string }) {
  return (
    <time dateTime={to} title={exactTime(to)}>
      {spanText(Date.parse(to) - now.value)}
    </time>
  )
}
