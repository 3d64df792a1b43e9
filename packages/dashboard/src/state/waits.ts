import type { HeldWait } from '@mayfly/client/internal'
import { signal } from '@preact/signals'
import { now } from './clock.ts'

/** The open waits. */
export const openWaits = signal<readonly HeldWait[]>([])

/** The open waits on an inbox, the first to end first. */
export function waitsOf(inboxId: string): readonly HeldWait[] {
  return openWaits.value
    .filter((wait) => wait.inboxId === inboxId && Date.parse(wait.deadline) > now.value)
    .sort((a, b) => (a.deadline < b.deadline ? -1 : 1))
}

/** Adds a wait, or removes it when it has ended. */
export function setWait(wait: HeldWait, isHeld: boolean): void {
  const others = openWaits.value.filter(({ id }) => id !== wait.id)
  openWaits.value = isHeld ? [...others, wait] : others
}
