import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { AccountId } from '@mayfly/contract'
import type { App } from '../app/api.ts'
import { type ProviderMail, startProviderMail } from '../app/provider-mail.ts'
import type { Shared } from '../app/world.ts'
import { BodyMemory } from '../platform/request-body/body-memory.ts'
import type { HandleProvider } from '../providers/serve.ts'
import { sqlitePathOf } from '../store/sqlite/path.ts'
import { startLargeMailComposing } from '../threads/composing-host.ts'
import { createProvidersHost } from '../threads/providers-host.ts'
import { createStoringThread } from '../threads/storing-host.ts'
import { listenError } from './http.ts'
import { configuredCertificate } from './smtp.ts'

/** Bodies of calls in memory; of one account two of the largest. */
const BODIES = { bytesMax: 192 * 1024 * 1024, accountBytesMax: 96 * 1024 * 1024 }

type Parts = Shared & { readonly catchAllOwner: AccountId | null }

/** The thread that reads calls; the first one starts it. */
type Host = ReturnType<typeof createProvidersHost>

/** Opens the way of APIs' mails into the store. Its threads start with the first mail. */
export function openProviderMail(
  shared: Parts,
  parts: AsyncDisposableStack,
): { readonly mail: ProviderMail; readonly host: Host } {
  const { config, log, signalsName, clockMemory, mailHost: hostName } = shared
  const options = { config, hostName }
  const storing = createStoringThread({ options, signalsName, clockMemory }, log)
  parts.defer(() => storing.stop())
  const composing = startLargeMailComposing(options, log)
  parts.defer(() => composing.stop())
  const host = createProvidersHost({
    databaseUrl: config.MAYFLY_DATABASE_URL,
    directUrl: config.MAYFLY_DATABASE_DIRECT_URL,
    ...{ logLevel: config.MAYFLY_LOG_LEVEL, clockMemory },
    onFailure: ({ call, error }) =>
      log.error({ err: error, call: call.slice(0, 200) }, "a call of a provider's API failed"),
  })
  parts.defer(() => host.stop())
  const { storeBatch } = storing
  const mail = startProviderMail({
    ...shared,
    ...host,
    storeBatch,
    composeLarge: composing.compose,
  })
  parts.defer(() => mail.stop())
  return { mail, host }
}

/** Answers calls of providers' APIs. The first call loads them. */
export function openProviders(
  { log, clock, app, baseUrl }: Shared & { readonly app: App; readonly baseUrl: () => string },
  { runCall }: Host,
): HandleProvider {
  const bodyMemory = new BodyMemory(BODIES)
  let loading: Promise<HandleProvider> | null = null
  return async (request) => {
    loading ??= import('../providers/serve.ts').then(({ createProviderApis }) =>
      createProviderApis({ app, log, now: () => clock.now(), baseUrl, runCall, bodyMemory }),
    )
    return (await loading)(request)
  }
}

/** How long a call may continue when the service stops. */
const GRACE_MS = 5_000

/** Starts the listener of the providers, when a port is set; returns the port, or null. */
export async function startProvidersListener(
  { config, log, clock, ids }: Shared,
  handle: HandleProvider,
  parts: AsyncDisposableStack,
): Promise<number | null> {
  const port = config.MAYFLY_PROVIDERS_PORT
  if (port === null) return null
  const { listenForProviders } = await import('../providers/listener.ts')
  const { PROVIDERS } = await import('../providers/registry.ts')
  const hosts = ['localhost', '127.0.0.1', '::1', ...PROVIDERS.flatMap((one) => one.hosts)]
  const given = {
    mode: config.MAYFLY_PROVIDERS_TLS,
    cert: config.MAYFLY_PROVIDERS_TLS_CERT,
    key: config.MAYFLY_PROVIDERS_TLS_KEY,
  }
  const tls = configuredCertificate('MAYFLY_PROVIDERS_TLS', given, { hosts, clock })
  if (tls !== null && given.mode !== null) await writeAuthority({ config, log }, tls.cert)
  try {
    const listener = await listenForProviders({
      ...{ host: config.MAYFLY_HTTP_HOST, port, tls, handle },
      newRequestId: () => ids.requestId(),
      onError: (error) => log.error({ err: error }, "the listener of providers' APIs failed"),
    })
    parts.defer(() => listener.stop(GRACE_MS))
    return listener.port
  } catch (error) {
    throw listenError(error, 'MAYFLY_PROVIDERS')
  }
}

/** Writes a self-signed certificate for clients to trust, beside the database. */
async function writeAuthority(
  { config, log }: Pick<Shared, 'config' | 'log'>,
  cert: string,
): Promise<void> {
  const folder = dirname(sqlitePathOf(config.MAYFLY_DATABASE_URL) ?? 'data/mayfly.db')
  const file = resolve(folder, 'providers-ca.pem')
  await mkdir(folder, { recursive: true })
  await writeFile(file, cert)
  log.info({ file }, "clients trust the listener of providers' APIs with this certificate")
}
