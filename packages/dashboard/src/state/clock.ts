import { signal } from '@preact/signals'

/** The time in milliseconds, once a second while the page is seen: relative times follow it. */
export const now = signal(Date.now())

/** Starts the clock. */
export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now()
  }
  setInterval(tick, 1000)
  document.addEventListener('visibilitychange', tick)
}
