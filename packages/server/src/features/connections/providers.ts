import type { ConnectionProvider } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { IdentityProvider } from '../../platform/identity/provider.ts'

/** The providers that the operator set up, in the order in which they are offered. */
export type Providers = ReadonlyMap<ConnectionProvider, IdentityProvider>

/** Where a provider sends the browser back to, below the base URL. */
export const CALLBACK_PATH = '/v1/account/connection/callback'

/** The provider of this name, or the first. */
export function chooseProvider(
  providers: Providers,
  options: ConnectionProvider | undefined,
): { readonly name: ConnectionProvider; readonly provider: IdentityProvider } {
  const [first] = providers
  if (first === undefined) throw new ServiceError('connection_not_configured')
  const [name, provider] = options === undefined ? first : [options, providers.get(options)]
  if (provider === undefined) {
    const known = [...providers.keys()].map((key) => `"${key}"`).join(' or ')
    throw new ServiceError('invalid_parameter', { message: `provider: must be ${known} here` })
  }
  return { name, provider }
}
