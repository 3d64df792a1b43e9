import { signal } from '@preact/signals'
import { signedInClient } from '../session.ts'
import { inboxes } from './inboxes.ts'

/** Addresses of inboxes that the list of inboxes does not have. */
const readNames = signal<ReadonlyMap<string, string>>(new Map())

const asked = new Set<string>()

/** The name of an inbox before its @; null until it was read. */
export function inboxName(inboxId: string): string | null {
  const listed = inboxes.value?.find(({ inbox }) => inbox.id === inboxId)
  const address = listed?.inbox.emailAddress ?? readNames.value.get(inboxId) ?? null
  if (address === null && inboxes.value !== null && !asked.has(inboxId)) {
    asked.add(inboxId)
    void readName(inboxId)
  }
  return address?.split('@')[0] ?? null
}

async function readName(inboxId: string): Promise<void> {
  try {
    const { emailAddress } = await signedInClient().inboxes.get(inboxId)
    readNames.value = new Map([...readNames.value, [inboxId, emailAddress]])
  } catch {
    // It was deleted meanwhile, and its messages with it.
  }
}
