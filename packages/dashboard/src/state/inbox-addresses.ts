import { signal } from '@preact/signals'
import { signedInClient } from '../session.ts'
import { inboxes } from './inboxes.ts'

/** Addresses of inboxes that the list of inboxes does not have. */
const readAddresses = signal<ReadonlyMap<string, string>>(new Map())

const asked = new Set<string>()

/** The address of an inbox; null until it was read. */
export function inboxAddress(inboxId: string): string | null {
  const listed = inboxes.value?.find(({ inbox }) => inbox.id === inboxId)
  const address = listed?.inbox.emailAddress ?? readAddresses.value.get(inboxId) ?? null
  if (address === null && inboxes.value !== null && !asked.has(inboxId)) {
    asked.add(inboxId)
    void readAddress(inboxId)
  }
  return address
}

async function readAddress(inboxId: string): Promise<void> {
  try {
    const { emailAddress } = await signedInClient().inboxes.get(inboxId)
    readAddresses.value = new Map([...readAddresses.value, [inboxId, emailAddress]])
  } catch {
    // It was deleted meanwhile, and its messages with it.
  }
}
