import { createInboxes, type ServiceOptions, startService } from '../load/service.ts'
import type { Contender } from './contender.ts'

/** Where mail number 1 goes is 1b@mayfly.test. */
export const RECIPIENT = 'b@mayfly.test'

/** Mayfly as a contender. */
export type Mayfly = Contender & {
  /** Throws unless the API knows as many mails as were acknowledged. */
  readonly verify: (mails: number) => Promise<void>
}

/** Starts Mayfly with an inbox for each mail of a load, as smtp-source numbers its recipients. */
export async function startMayfly(
  options: ServiceOptions & { readonly name: string; readonly inboxes: number },
): Promise<Mayfly> {
  const service = await startService(options)
  await createInboxes(service, options.inboxes, (index) => `${index + 1}b`)
  return {
    name: options.name,
    port: service.smtpPort,
    pid: service.pid,
    verify: async (mails) => {
      let found = 0
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = cursor === '' ? '' : `&cursor=${cursor}`
        const { body } = await service.api.get(`/v1/inboxes?limit=1000${page}`)
        for (const { messageCount } of body.inboxes) found += messageCount
        cursor = body.nextCursor
      }
      if (found !== mails) throw new Error(`${options.name} has ${found} mails instead of ${mails}`)
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
