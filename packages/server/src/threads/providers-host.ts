// The thread that reads calls of providers' APIs: bodies, templates and mails are of any size.

import type { AccountId } from '@mayfly/contract'
import type { CallOutcome, CallRequest } from '../providers/run-call.ts'
import type { ContentThreadData } from './content-host.ts'
import { OneCallHost, type OneCallOptions, type OwnedRequest } from './one-call-host.ts'
import { transferableBytes } from './thread-protocol.ts'

/** The options of the thread. */
export type ProvidersThreadData = ContentThreadData & {
  /** As of `startStoreClock`. */
  readonly clockMemory: SharedArrayBuffer | null
}

/** The calls of the thread. */
export type ProvidersCalls = { readonly run: (call: OwnedRequest) => Promise<unknown> }

/** A call takes much less; a template that takes longer does not end. */
const CPU_MS_MAX = 4_000

/** Creates the host; the first call starts the thread. */
export function createProvidersHost(
  options: ProvidersThreadData & Pick<OneCallOptions, 'onFailure'>,
) {
  const { onFailure, ...data } = options
  const file = new URL('./providers-thread.ts', import.meta.url)
  const host = new OneCallHost<ProvidersCalls>({ file, data, onFailure, cpuMsMax: CPU_MS_MAX })
  return {
    runCall: (owner: AccountId, given: CallRequest) => {
      // Handed over instead of copied.
      const request = { ...given, body: transferableBytes(given.body) }
      const transfer = [request.body.buffer]
      // The thread runs `runCall`.
      return host.run({ name: 'run', owner, request, transfer }) as Promise<CallOutcome>
    },
    stop: () => host.stop(),
  }
}
