import type { HeldWait } from '@mayfly/client'
import { signal } from '@preact/signals'
import { now } from './clock.ts'

/** The waits that are held now. */
export const heldWaits = signal<readonly HeldWait[]>([])

/** The waits that are held on an inbox, the first to end first. */
export function waitsOf(inboxId: string): readonly HeldWait[] {
  return heldWaits.value
    .filter((wait) => wait.inboxId === inboxId && Date.parse(wait.deadline) > now.value)
    .sort((a, b) => (a.deadline < b.deadline ? -1 : 1))
}

/** Adds a wait, or takes it away when it has ended. */
export function setWait(wait: HeldWait, isHeld: boolean): void {
  const others = heldWaits.value.filter(({ id }) => id !== wait.id)
  heldWaits.value = isHeld ? [...others, wait] : others
}
