import { readService, type ServiceDescription } from '@mayfly/client/internal'
import { signal } from '@preact/signals'
import { SERVICE } from '../session.ts'

/** The service's version and where it receives mail; null until it was read. */
export const service = signal<ServiceDescription | null>(null)

/** Loads the description of the service. */
export async function loadService(): Promise<void> {
  service.value = await readService(SERVICE)
}
