import {
  type Check,
  type CheckContext,
  type Finding,
  fine,
  isTestName,
  problem,
  reasonOf,
  warning,
} from './check.ts'

/** It cannot be registered: any response shows that the name servers work. */
const UNREGISTRABLE_NAME = 'doctor.invalid'

/** Checks that the name servers respond and that the receiving domains point here. */
export const dnsCheck: Check = {
  name: 'DNS',
  run: async ({ server, config }) => {
    const resolver = server.createResolver({
      servers: config.MAYFLY_DNS_SERVERS,
      timeoutMs: 2_000,
      tries: 2,
    })
    try {
      const servers = await nameServersRespond(resolver, config)
      if (servers.level !== 'fine') return [servers]
      const mailHost = config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`
      const domains = [...config.MAYFLY_DOMAINS, ...config.MAYFLY_PRIVATE_DOMAINS]
      const findings = [servers, ...(await hasAddress(resolver, mailHost))]
      for (const domain of domains) {
        findings.push(await mxPointsHere({ server, resolver, domain, mailHost }))
      }
      return findings
    } finally {
      resolver.close()
    }
  },
}

type Resolver = ReturnType<CheckContext['server']['createResolver']>

async function nameServersRespond(
  resolver: Resolver,
  config: CheckContext['config'],
): Promise<Finding> {
  const servers = config.MAYFLY_DNS_SERVERS
  const names = servers.length === 0 ? "the system's name servers" : servers.join(', ')
  try {
    await resolver.txt(UNREGISTRABLE_NAME)
    return fine(`${names} respond`)
  } catch (error) {
    const text = `${names} do not respond (${reasonOf(error)})`
    const remedy = 'Set MAYFLY_DNS_SERVERS: sender checks and custom domains need them.'
    const isNeeded = config.MAYFLY_DOMAINS.some((domain) => !isTestName(domain))
    return isNeeded ? problem(text, remedy) : warning(text, remedy)
  }
}

async function hasAddress(resolver: Resolver, mailHost: string): Promise<readonly Finding[]> {
  if (isTestName(mailHost)) return [fine(`${mailHost} is a reserved test name, not looked up`)]
  try {
    const addresses = await resolver.addresses(mailHost)
    if (addresses.length === 0) {
      const remedy = 'Publish an A or AAAA record of this machine for it, or set MAYFLY_MAIL_HOST.'
      return [problem(`${mailHost} has no address`, remedy)]
    }
    return [
      fine(`${mailHost} has the address ${addresses.join(', ')}`),
      ...(await Promise.all(addresses.map((address) => hasName(resolver, address, mailHost)))),
    ]
  } catch (error) {
    return [problem(`${mailHost} could not be looked up (${reasonOf(error)})`, 'Try again.')]
  }
}

async function hasName(resolver: Resolver, address: string, mailHost: string): Promise<Finding> {
  const names = await resolver.names(address)
  if (names.includes(mailHost)) return fine(`the PTR record of ${address} names ${mailHost}`)
  return warning(
    `the PTR record of ${address} does not name ${mailHost}: found ${names.join(', ') || 'none'}`,
    'Ask the provider of the address for it. Mail is received without it, too.',
  )
}

async function mxPointsHere(domainCheck: {
  readonly server: CheckContext['server']
  readonly resolver: Resolver
  readonly domain: string
  readonly mailHost: string
}): Promise<Finding> {
  const { server, resolver, domain, mailHost } = domainCheck
  if (isTestName(domain)) return fine(`${domain} is a reserved test domain, not looked up`)
  try {
    const exchangers = await resolver.mx(domain)
    if (server.pointsTo(exchangers, mailHost))
      return fine(`the MX record of ${domain} points to ${mailHost}`)
    const found = exchangers.map(({ exchange }) => exchange).join(', ') || 'none'
    return problem(
      `the MX record of ${domain} does not point to ${mailHost}: found ${found}`,
      `Publish: ${domain}. MX 10 ${mailHost}.`,
    )
  } catch (error) {
    return problem(`${domain} could not be looked up (${reasonOf(error)})`, 'Try again.')
  }
}
