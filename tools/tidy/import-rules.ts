import type { Import } from './imports.ts'
import { LAYERS, layerOf, mayImport } from './layers.ts'
import { isShipped, isTestCode, packageOf } from './places.ts'
import type { Problem, Project, Rule } from './rule.ts'

/** Who may import whom, import by import. Tests may import anything. */
export const importRules: readonly Rule[] = [
  ...[...new Set(Object.values(LAYERS).map(({ rule }) => rule))].map((rule) => layerRule(rule)),
  rule('pure-packages', (found) => {
    const layer = layerOf(found.from)
    if (layer !== 'mail' && layer !== 'protocol') return null
    if (found.kind === 'type' || found.packageName === null) return null
    if (PURE_PACKAGES.has(found.packageName)) return null
    return `${found.specifier} is not known to be free of I/O.`
  }),
  rule('store-drivers-alone', ({ from, packageName }) => {
    if (layerOf(from) !== 'store' || packageName === null) return null
    if (/^(node:.+|@mayfly\/contract)$/.test(packageName) || DRIVERS.test(packageName)) return null
    return `The store imports the contract and drivers, not ${packageName}.`
  }),
  rule('contract-zod-alone', ({ from, packageName }) => {
    if (packageOf(from) !== 'contract' || packageName === null || packageName === 'zod') return null
    return `The contract imports zod alone, not ${packageName}.`
  }),
  rule('client-without-dependencies', clientProblem),
  rule('packages-in-order', packageOrderProblem),
  rule('packages-at-home', packageHomeProblem),
  rule('tests-apart', ({ target }) =>
    target !== null && isTestCode(target) ? `${target} is for tests alone.` : null,
  ),
]

/** Parsers and formatters without I/O, clock or randomness. */
const PURE_PACKAGES: ReadonlySet<string> = new Set([
  'entities',
  'htmlparser2',
  'postal-mime',
  'sanitize-html',
])

const DRIVERS = /^(kysely|kysely-.+|pg|pg-.+|better-sqlite3|node:sqlite)$/

/** Packages that only one place may know. */
const HOMES: readonly { readonly packages: RegExp; readonly home: string }[] = [
  { packages: DRIVERS, home: 'store/' },
  { packages: /^(fastify|fastify-.+|@fastify\/.+)$/, home: 'http/' },
  { packages: /^@modelcontextprotocol\/.+$/, home: 'mcp/' },
  { packages: /^undici$/, home: 'platform/outbound-http' },
]

/** Which packages of the repository each one may use, besides itself. */
const ORDER: Readonly<Record<string, Readonly<Record<string, Import['kind']>>>> = {
  contract: {},
  server: { '@mayfly/contract': 'value' },
  client: { '@mayfly/contract': 'type' },
  cli: { '@mayfly/client': 'value', '@mayfly/server': 'value', '@mayfly/contract': 'type' },
  dashboard: { '@mayfly/client': 'value', '@mayfly/contract': 'type' },
}

function layerRule(name: string): Rule {
  return rule(name, ({ from, target, kind }) => {
    const layer = layerOf(from)
    if (layer === null || LAYERS[layer].rule !== name || target === null) return null
    if (mayImport(from, target, kind)) return null
    const how = mayImport(from, target, 'type') ? ' other than by import type' : ''
    return `The layer '${layer}' may not import ${target}${how}.`
  })
}

/** The SDK goes into other people's projects; its test adapters use their runner's package. */
function clientProblem({ from, kind, packageName }: Import): string | null {
  if (packageOf(from) !== 'client' || kind === 'type' || packageName === null) return null
  if (packageName.startsWith('node:') || packageName.startsWith('@mayfly/')) return null
  const adapter = /\/testing\/(\w+)/.exec(from)?.[1]
  if (adapter !== undefined && packageName.includes(adapter)) return null
  return `The client has no runtime dependency, and ${packageName} would be one.`
}

function packageOrderProblem({ from, kind, packageName, target }: Import): string | null {
  const own = packageOf(from)
  if (own === null) return null
  if (packageName === null) {
    const other = target === null ? null : packageOf(target)
    if (other === null || other === own) return null
    return `A path leads into another package: import @mayfly/${other}.`
  }
  if (!packageName.startsWith('@mayfly/')) return null
  const access = ORDER[own]?.[packageName]
  if (access === 'value' || (access === 'type' && kind === 'type')) return null
  const how = access === 'type' ? ' other than by import type' : ''
  return `packages/${own} may not import ${packageName}${how}.`
}

function packageHomeProblem({ from, kind, packageName }: Import): string | null {
  if (packageName === null) return null
  const home = HOMES.find(({ packages }) => packages.test(packageName))?.home
  if (home !== undefined && !from.startsWith(`packages/server/src/${home}`)) {
    return `${packageName} is known only in packages/server/src/${home}.`
  }
  const isHttp = /^node:(http|https|http2)$/.test(packageName) && kind === 'value'
  const mayConnect = /\/server\/src\/(http\/|platform\/outbound-http)/.test(from)
  if (isHttp && from.startsWith('packages/server/src/') && !mayConnect) {
    return `${packageName} opens connections: only platform/outbound-http may.`
  }
  return null
}

function rule(name: string, judge: (found: Import) => string | null): Rule {
  const check = ({ imports }: Project) =>
    imports.flatMap((found): Problem[] => {
      if (!isShipped(found.from)) return []
      const text = judge(found)
      return text === null ? [] : [{ file: found.from, line: found.line, text }]
    })
  return { name, check }
}
