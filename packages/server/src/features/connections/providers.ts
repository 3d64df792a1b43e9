import type { ConnectionProvider } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { IdentityProvider } from '../../platform/identity/provider.ts'

/** The configured providers; the first is the default. */
export type Providers = ReadonlyMap<ConnectionProvider, IdentityProvider>

/** Where a provider sends the browser back to, below the base URL. */
export const CALLBACK_PATH = '/v1/account/connection/callback'

/** The provider with this name, or the default one. */
export function chooseProvider(
  providers: Providers,
  requested: ConnectionProvider | undefined,
): { readonly name: ConnectionProvider; readonly provider: IdentityProvider } {
  const [first] = providers
  if (first === undefined) throw new ServiceError('connection_not_configured')
  const [name, provider] = requested === undefined ? first : [requested, providers.get(requested)]
  if (provider === undefined) {
    const known = [...providers.keys()].map((key) => `"${key}"`).join(' or ')
    throw new ServiceError('invalid_parameter', { message: `provider: must be ${known} here` })
  }
  return { name, provider }
}
