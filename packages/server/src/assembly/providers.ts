import type { AccountId } from '@mayfly/contract'
import type { App } from '../app/api.ts'
import { type ProviderMail, startProviderMail } from '../app/provider-mail.ts'
import type { Shared } from '../app/world.ts'
import { BodyMemory } from '../platform/request-body/body-memory.ts'
import { redated } from '../providers/compose.ts'
import type { HandleProvider } from '../providers/serve.ts'
import { startLargeMailComposing } from '../threads/composing-host.ts'
import { createProvidersHost } from '../threads/providers-host.ts'
import { createStoringThread } from '../threads/storing-host.ts'

/** Bodies of calls in memory; of one account two of the largest. */
const BODIES = { bytesMax: 192 * 1024 * 1024, accountBytesMax: 96 * 1024 * 1024 }

type Parts = Shared & { readonly catchAllOwner: AccountId | null }

/** Opens the way of APIs' mails into the store. Its threads start with the first mail. */
export function openProviderMail(shared: Parts, parts: AsyncDisposableStack): ProviderMail {
  const { config, log, signalsName, clockMemory, mailHost: hostName } = shared
  const storing = createStoringThread(
    { options: { config, hostName }, signalsName, clockMemory },
    log,
  )
  parts.defer(() => storing.stop())
  const composing = startLargeMailComposing({ config, hostName }, log)
  parts.defer(() => composing.stop())
  const mail = startProviderMail({
    ...shared,
    storeBatch: storing.storeBatch,
    composeLarge: composing.compose,
    redate: redated,
  })
  parts.defer(() => mail.stop())
  return mail
}

/** Answers calls of providers' APIs. The first call loads them, and starts their thread. */
export function openProviders(
  {
    config,
    log,
    clock,
    clockMemory,
    app,
    baseUrl,
  }: Shared & { readonly app: App; readonly baseUrl: () => string },
  parts: AsyncDisposableStack,
): HandleProvider {
  const host = createProvidersHost({
    ...{ databaseUrl: config.MAYFLY_DATABASE_URL, directUrl: config.MAYFLY_DATABASE_DIRECT_URL },
    ...{ logLevel: config.MAYFLY_LOG_LEVEL, clockMemory },
    onFailure: ({ call, error }) =>
      log.error(
        { err: error, call: call.slice(0, 200) },
        "reading a call of a provider's API failed",
      ),
  })
  parts.defer(() => host.stop())
  const bodyMemory = new BodyMemory(BODIES)
  let loading: Promise<HandleProvider> | null = null
  return async (request) => {
    loading ??= import('../providers/serve.ts').then(({ createProviderApis }) =>
      createProviderApis({
        app,
        log,
        now: () => clock.now(),
        baseUrl,
        runCall: host.runCall,
        bodyMemory,
      }),
    )
    return (await loading)(request)
  }
}
