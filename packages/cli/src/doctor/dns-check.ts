import {
  type Check,
  type Finding,
  fine,
  type Patient,
  problem,
  reasonOf,
  warning,
} from './finding.ts'
import { isTestName } from './names.ts'

/** Nobody can register it: any answer shows that the name servers work. */
const NOBODYS_NAME = 'doctor.invalid'

/** Whether the name servers answer, and lead mail for our domains here. */
export const dnsCheck: Check = {
  name: 'DNS',
  look: async ({ server, config }) => {
    const resolver = server.createResolver({
      servers: config.MAYFLY_DNS_SERVERS,
      timeoutMs: 2_000,
      tries: 2,
    })
    try {
      const servers = await answers(resolver, config)
      if (servers.level !== 'fine') return [servers]
      const mailHost = config.MAYFLY_MAIL_HOST ?? `mx.${config.MAYFLY_DOMAINS[0]}`
      const domains = [...config.MAYFLY_DOMAINS, ...config.MAYFLY_PRIVATE_DOMAINS]
      const findings = [servers, await hasAddress(resolver, mailHost)]
      for (const domain of domains) {
        findings.push(await leadsHere({ server, resolver, domain, mailHost }))
      }
      return findings
    } finally {
      resolver.close()
    }
  },
}

type Resolver = ReturnType<Patient['server']['createResolver']>

async function answers(resolver: Resolver, config: Patient['config']): Promise<Finding> {
  const servers = config.MAYFLY_DNS_SERVERS
  const names = servers.length === 0 ? "the system's name servers" : servers.join(', ')
  try {
    await resolver.txt(NOBODYS_NAME)
    return fine(`${names} answer`)
  } catch (error) {
    const text = `${names} do not answer (${reasonOf(error)})`
    const remedy = 'Set MAYFLY_DNS_SERVERS: sender checks and custom domains need them.'
    const isNeeded = config.MAYFLY_DOMAINS.some((domain) => !isTestName(domain))
    return isNeeded ? problem(text, remedy) : warning(text, remedy)
  }
}

async function hasAddress(resolver: Resolver, mailHost: string): Promise<Finding> {
  if (isTestName(mailHost)) return fine(`${mailHost} is a name for tests`)
  try {
    const addresses = await resolver.addresses(mailHost)
    if (addresses.length > 0) return fine(`${mailHost} has the address ${addresses.join(', ')}`)
    const remedy =
      'Give it an A or AAAA record that leads to the SMTP port, or set MAYFLY_MAIL_HOST.'
    return problem(`${mailHost} has no address`, remedy)
  } catch (error) {
    return problem(`${mailHost} could not be looked up (${reasonOf(error)})`, 'Try again.')
  }
}

async function leadsHere(about: {
  readonly server: Patient['server']
  readonly resolver: Resolver
  readonly domain: string
  readonly mailHost: string
}): Promise<Finding> {
  const { server, resolver, domain, mailHost } = about
  if (isTestName(domain)) return fine(`${domain} is a domain for tests`)
  try {
    const exchangers = await resolver.mx(domain)
    if (server.pointsTo(exchangers, mailHost))
      return fine(`mail for ${domain} comes to ${mailHost}`)
    const found = exchangers.map(({ exchange }) => exchange).join(', ') || 'none'
    return problem(
      `mail for ${domain} does not come here: its MX is ${found}`,
      `Publish: ${domain}. MX 10 ${mailHost}.`,
    )
  } catch (error) {
    return problem(`${domain} could not be looked up (${reasonOf(error)})`, 'Try again.')
  }
}
