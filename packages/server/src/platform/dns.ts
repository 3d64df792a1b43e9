import { Resolver } from 'node:dns/promises'
/** Stand-in. */
export function createResolver(options: {
  servers: readonly string[]
  timeoutMs: number
  tries: number
}) {
  const resolver = new Resolver({ timeout: options.timeoutMs, tries: options.tries })
  if (options.servers.length > 0) resolver.setServers([...options.servers])
  return {
    forMailAuth: async (name: string, type: string) => resolver.resolve(name, type as 'TXT'),
  }
}
