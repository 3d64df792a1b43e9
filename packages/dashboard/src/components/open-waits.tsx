import { countText } from '../format.ts'
import { waitsOf } from '../state/waits.ts'
import { Countdown } from './times.tsx'

/** The tests that wait for mail in an inbox now. */
export function OpenWaits({ inboxId }: { readonly inboxId: string }) {
  const waits = waitsOf(inboxId)
  const [next] = waits
  if (next === undefined) return null
  const awaited = waits.every((wait) => wait.for === 'otp') ? 'a code' : 'mail'
  return (
    <p class="held-waits" role="status">
      <span class="waiting" />
      <span>
        {countText(waits.length, 'test')} {waits.length === 1 ? 'is' : 'are'} waiting here for{' '}
        {awaited}, <Countdown to={next.deadline} /> left
      </span>
    </p>
  )
}
