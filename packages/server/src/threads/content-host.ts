// Calls of the content thread.

import type { AccountId } from '@mayfly/contract'
import type { Content } from '../app/content.ts'
import type { SendResult } from '../features/compat/mailpit/send.ts'
import { OneCallHost, type OwnedRequest } from './one-call-host.ts'
import { readError, transferableBytes, type writeError } from './thread-protocol.ts'

/** The options of the content thread. */
export type ContentThreadData = {
  readonly databaseUrl: string
  /** The database past a pooler; null when `databaseUrl` is none. */
  readonly directUrl: string | null
  readonly logLevel: string
}

/** The calls of the thread: the functions of `Content`, with both arguments in one. */
type ContentCalls = Readonly<Record<keyof Content, (call: OwnedRequest) => Promise<unknown>>>

/** Why a call that succeeded could not delete everything, as an event of the thread. */
export type PurgeFailedEvent = ReturnType<typeof writeError>

/** The options of the host. */
export type ContentHostOptions = ContentThreadData & {
  /** Called when a call has taken too long, or has ended the thread. */
  readonly onFailure: (failure: { readonly call: string; readonly error: unknown }) => void
  /** As of the thread's store. */
  readonly onPurgeFailed?: (error: unknown) => void
  /** Processor time that one call may take. */
  readonly cpuMsMax?: number
  readonly threadUrl?: URL
}

/** The content functions in a thread of their own. */
export type ContentHost = { readonly content: Content; stop(): Promise<void> }

/** The functions of `Content` without `sendMail`: one that is missing does not compile. */
const CALLS = [
  'composeBody',
  'composeFrame',
  'hasRemoteImages',
  'readExcerpt',
  'checkMessage',
  'findMatch',
  'findInAccount',
  'searchInbox',
  'explainMismatches',
  'composeHtmlCheck',
  'explainCode',
  'readRaw',
  'readLines',
  'readPart',
  'composeThumbnail',
  'purgeInbox',
  'deleteMessages',
  'deleteMails',
  'searchCatchAll',
  'findNewest',
  'countTags',
  'replaceTag',
  'composeMailpit',
  'composeMailHog',
  'composeMailDev',
  'listUrls',
] as const satisfies readonly (keyof Content)[]

/** Creates the host; the first call starts the thread. */
export function createContentHost(options: ContentHostOptions): ContentHost {
  const { databaseUrl, directUrl, logLevel } = options
  const data: ContentThreadData = { databaseUrl, directUrl, logLevel }
  const host = new OneCallHost<ContentCalls>({
    ...options,
    file: options.threadUrl ?? new URL('./content-thread.ts', import.meta.url),
    data,
    // The thread sends no other.
    onEvent: (failure) => options.onPurgeFailed?.(readError(failure as PurgeFailedEvent)),
  })
  const calls = CALLS.map((name) => [
    name,
    (owner: AccountId, request: unknown) => host.run({ name, owner, request, transfer: [] }),
  ])
  return {
    content: {
      // The thread runs the function of each name.
      ...(Object.fromEntries(calls) as Pick<Content, (typeof CALLS)[number]>),
      sendMail: (owner, given) => {
        // Handed over instead of copied, and not as a Buffer: JSON would write out its bytes.
        const request = { ...given, body: transferableBytes(given.body) }
        const transfer = [request.body.buffer]
        // As above.
        return host.run({ name: 'sendMail', owner, request, transfer }) as Promise<SendResult>
      },
    },
    stop: () => host.stop(),
  }
}
