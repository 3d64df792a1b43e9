// The thread that reads calls of providers' APIs: bodies, templates and mails are of any size.

import type { AccountId } from '@mayfly/contract'
import type { CallOutcome, CallRequest } from '../providers/run-call.ts'
import type { HeldKey, NewHeldMail } from '../store/tables/provider-mails.ts'
import type { ContentThreadData } from './content-host.ts'
import { OneCallHost, type OneCallOptions, type OwnedRequest } from './one-call-host.ts'
import { transferableBytes } from './thread-protocol.ts'

/** The options of the thread. */
export type ProvidersThreadData = ContentThreadData & {
  /** As of `startStoreClock`. */
  readonly clockMemory: SharedArrayBuffer | null
}

/** The calls of the thread. */
export type ProvidersCalls = Readonly<
  Record<'run' | 'hold' | 'readHeld', (call: OwnedRequest) => Promise<unknown>>
>

/** A scheduled mail that is due, and the date that it gets. */
export type HeldToRead = { readonly key: HeldKey; readonly date: Date }

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
      const body = transferableBytes(given.body)
      const files = given.files.map(({ url, bytes }) => ({
        ...{ url, bytes: bytes === null ? null : transferableBytes(bytes) },
      }))
      const fetched = files.flatMap(({ bytes }) => (bytes === null ? [] : [bytes.buffer]))
      const request = { ...given, body, files }
      const transfer = [body.buffer, ...fetched]
      // The thread runs `runCall`.
      return host.run({ name: 'run', owner, request, transfer }) as Promise<CallOutcome>
    },
    /** Writes a mail that no inbox has yet: its bytes may be many. */
    holdMail: async (given: NewHeldMail): Promise<void> => {
      const raw = transferableBytes(given.raw)
      const owner = given.accountId
      const request = { ...given, raw }
      await host.run({ name: 'hold', owner, request, transfer: [raw.buffer] })
    },
    /** The bytes of such a mail, with another date. */
    readHeldMail: (key: HeldKey, date: Date) => {
      const request: HeldToRead = { key, date }
      const call = { name: 'readHeld', owner: key.accountId, request, transfer: [] } as const
      // The thread returns bytes.
      return host.run(call) as Promise<Uint8Array>
    },
    stop: () => host.stop(),
  }
}
