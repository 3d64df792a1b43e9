/** The layers of the server, each a folder or a file of `packages/server/src`. */
export type Layer =
  | 'mail'
  | 'protocol'
  | 'store'
  | 'platform'
  | 'features'
  | 'http'
  | 'smtp'
  | 'mcp'
  | 'config'
  | 'app'
  | 'service'
  | 'main'
  | 'index'
  | 'worker'
  /** `errors.ts` and other files beside it that belong to no layer. */
  | 'shared'

/** `type` is `import type`: known, but not loaded. */
export type Access = 'value' | 'type'

type Row = { readonly rule: string; readonly may: Readonly<Partial<Record<Layer, Access>>> }

/** What every edge knows: it is handed the app, the clock and its settings. */
const EDGE = {
  mail: 'value',
  shared: 'value',
  platform: 'type',
  config: 'type',
  app: 'type',
} as const

/** What the parts that assemble may load. */
const PARTS = {
  mail: 'value',
  protocol: 'value',
  store: 'value',
  platform: 'value',
  features: 'value',
  http: 'value',
  smtp: 'value',
  mcp: 'value',
  config: 'value',
  app: 'value',
  shared: 'value',
  worker: 'value',
} as const

/** Who may import whom within the server; what a row does not name is out of its reach. */
export const LAYERS: Readonly<Record<Layer, Row>> = {
  mail: { rule: 'pure-core', may: { mail: 'value' } },
  protocol: { rule: 'pure-core', may: { protocol: 'value' } },
  store: {
    rule: 'store-below',
    may: { store: 'value', shared: 'value', platform: 'type', mail: 'type' },
  },
  // A feature's own files are open to it, another feature's only as types: see `mayImport`.
  features: {
    rule: 'features-apart',
    may: {
      features: 'type',
      mail: 'value',
      shared: 'value',
      config: 'type',
      store: 'type',
      platform: 'type',
    },
  },
  http: { rule: 'edges-apart', may: { ...EDGE, http: 'value' } },
  smtp: { rule: 'edges-apart', may: { ...EDGE, smtp: 'value', protocol: 'value' } },
  mcp: { rule: 'edges-apart', may: { ...EDGE, mcp: 'value' } },
  platform: { rule: 'one-assembler', may: { platform: 'value', shared: 'value', config: 'type' } },
  config: {
    rule: 'one-assembler',
    may: { config: 'value', shared: 'value', mail: 'value', platform: 'type' },
  },
  shared: { rule: 'one-assembler', may: { shared: 'value', mail: 'type' } },
  app: {
    rule: 'one-assembler',
    may: {
      app: 'value',
      features: 'value',
      mail: 'value',
      shared: 'value',
      store: 'type',
      platform: 'type',
      config: 'type',
    },
  },
  service: { rule: 'one-assembler', may: { ...PARTS, service: 'value' } },
  worker: { rule: 'one-assembler', may: PARTS },
  main: {
    rule: 'one-assembler',
    may: { main: 'value', service: 'value', config: 'value', platform: 'value', shared: 'value' },
  },
  index: { rule: 'one-assembler', may: { ...PARTS, service: 'value' } },
}

const SERVER = 'packages/server/src/'

/** The layer of a file, or null outside the server's source. */
export function layerOf(path: string): Layer | null {
  if (!path.startsWith(SERVER)) return null
  const inner = path.slice(SERVER.length)
  if (/-worker\.ts$/.test(inner)) return 'worker'
  if (/^serve\./.test(inner)) return 'main'
  if (/^openapi-document\./.test(inner)) return 'service'
  // They put the settings into words for a person.
  if (/^(settings-help|banner)\./.test(inner)) return 'config'
  // The replies are the protocol's words, and as pure.
  if (/^smtp\/(protocol|replies)[./-]/.test(inner)) return 'protocol'
  const [first] = inner.split(/[/.]/)
  const layer = Object.keys(LAYERS).find((name) => name === first)
  return isLayer(layer) ? layer : 'shared'
}

function isLayer(name: string | undefined): name is Layer {
  return name !== undefined && Object.hasOwn(LAYERS, name)
}

/** Whether a file of the server may import another in this way. */
export function mayImport(from: string, to: string, kind: Access): boolean {
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)]
  if (fromLayer === null || toLayer === null) return true
  if (fromLayer === 'features' && featureOf(from) === featureOf(to)) return true
  const access = LAYERS[fromLayer].may[toLayer]
  return access === 'value' || (access === 'type' && kind === 'type')
}

function featureOf(path: string): string | undefined {
  return /\/src\/features\/([^/.]+)/.exec(path)?.[1]
}
