import type { ConnectionProvider } from '@mayfly/contract'
import type { Config } from '../config/config.ts'
import { StartRefused } from '../errors.ts'
import type { Providers } from '../features/connections/providers.ts'
import { gitHubProvider } from '../platform/identity/github.ts'
import { oidcProvider } from '../platform/identity/oidc.ts'
import type { IdentityProvider } from '../platform/identity/provider.ts'

/** The providers of external accounts that are configured. */
export function identityProviders(config: Config): Providers {
  const providers = new Map<ConnectionProvider, IdentityProvider>()
  const { MAYFLY_OIDC_ISSUER: issuer, MAYFLY_OIDC_CLIENT_ID: clientId } = config
  if (issuer !== null && clientId !== null) {
    const { MAYFLY_OIDC_CLIENT_SECRET: clientSecret, MAYFLY_OIDC_NAME: name } = config
    providers.set('oidc', oidcProvider({ name, issuer, clientId, clientSecret }))
  } else if (issuer !== null || clientId !== null) {
    throw new StartRefused('Set both MAYFLY_OIDC_ISSUER and MAYFLY_OIDC_CLIENT_ID, or neither.')
  }
  const { MAYFLY_GITHUB_CLIENT_ID: id, MAYFLY_GITHUB_CLIENT_SECRET: secret } = config
  if (id !== null && secret !== null) {
    const url = config.MAYFLY_GITHUB_URL
    providers.set('github', gitHubProvider({ url, clientId: id, clientSecret: secret }))
  } else if (id !== null || secret !== null) {
    throw new StartRefused(
      'Set both MAYFLY_GITHUB_CLIENT_ID and MAYFLY_GITHUB_CLIENT_SECRET, or neither.',
    )
  }
  return providers
}
