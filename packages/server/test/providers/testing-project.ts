import type { Inbox } from '@mayfly/client'
import type { TestService } from '../testing-start-service.ts'

/** A catch-all inbox, and the key of a provider that names it. */
export async function givenProject(
  service: TestService,
): Promise<{ readonly inbox: Inbox; readonly key: string; readonly apiKey: string }> {
  const { inboxes, key: apiKey } = await service.register()
  const inbox = await inboxes.create({ catchAll: true })
  return { inbox, key: `${apiKey}.${inbox.id}`, apiKey }
}
