// Reads openapi.json: references, words for schemas, examples, operations.

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const DEPTH_MAX = 6
const STRINGS = { 'date-time': '2026-01-31T09:30:00.000Z', email: 'ada@example.com' }

/** The directory of this page, so that a proxy may add a path. */
export const baseUrl = new URL('.', location.href).href.replace(/\/$/, '')

const response = await fetch('openapi.json').catch(() => null)
/** The document, or null when it could not be loaded. */
export const api = response?.ok ? await response.json() : null

/** Follows `$ref`; keywords beside it take precedence. */
export function resolve(schema = {}) {
  const { $ref, ...own } = schema
  if ($ref === undefined) return schema
  const keys = $ref.split('/').slice(1)
  const target = keys.reduce((at, key) => at?.[key.replace(/~1/g, '/').replace(/~0/g, '~')], api)
  return { ...resolve(target), ...own }
}

/** The schemas that a schema is made of, apart from its properties. */
function partsOf({ items, anyOf = [], oneOf = [], allOf = [] }) {
  return [...(items ? [items] : []), ...anyOf, ...oneOf, ...allOf]
}

/** A few words: `array of string`, `integer or null`, `string, date-time`. */
export function typeOf(schema, depth = 0) {
  const full = resolve(schema)
  if ('const' in full) return JSON.stringify(full.const)
  const parts = depth < DEPTH_MAX ? partsOf(full).map((part) => typeOf(part, depth + 1)) : []
  const words = [...new Set(parts)].join(full.allOf ? ' and ' : ' or ')
  if (full.type === 'array') return `array of ${words || 'any'}`
  const own = [[full.type ?? 'any'].flat().join(' or '), full.format].filter(Boolean).join(', ')
  return words || own
}

function range(min, max, unit) {
  // Zod adds the largest safe integer to every integer; it tells a reader nothing.
  const [from, to] = [min, max].map((at) => (Math.abs(at) < Number.MAX_SAFE_INTEGER ? at : null))
  if (to === null) return from === null ? '' : `at least ${from}${unit}`
  return from === null ? `at most ${to}${unit}` : `${from} to ${to}${unit}`
}

/** The bounds of a value, as phrases. */
export function boundsOf(schema, depth = 0) {
  const full = resolve(schema)
  const inner = partsOf(full).filter((part) => depth < DEPTH_MAX && !resolve(part).properties)
  return [
    full.enum && `one of ${full.enum.map((value) => `\`${value}\``).join(', ')}`,
    range(full.minimum, full.maximum, ''),
    range(full.minLength, full.maxLength, ' characters'),
    range(full.minItems, full.maxItems, ' items'),
    full.pattern && !full.format && `matches \`${full.pattern}\``,
    full.default !== undefined && `default \`${JSON.stringify(full.default)}\``,
    ...inner.flatMap((part) => boundsOf(part, depth + 1)),
  ].filter(Boolean)
}

/** The objects within a schema: itself, its items, or each of its alternatives. */
export function objectsIn(schema, depth = 0) {
  const full = resolve(schema)
  if (full.properties) return [full]
  return depth > DEPTH_MAX ? [] : partsOf(full).flatMap((part) => objectsIn(part, depth + 1))
}

/** A value of the schema: its example, or a generated one; with `terse` only what is required. */
function sample(schema, terse, depth = 0) {
  const full = resolve(schema)
  const known = [full.example, full.examples?.[0], full.const, full.default, full.enum?.[0]]
  const given = known.find((value) => value !== undefined)
  if (given !== undefined || depth > DEPTH_MAX) return given ?? null
  if (full.properties) {
    const entries = Object.entries(full.properties)
      .filter(([name]) => !terse || full.required?.includes(name))
      .map(([name, part]) => [name, sample(part, terse, depth + 1)])
    return Object.fromEntries(entries)
  }
  const inner = partsOf(full).map((part) => sample(part, terse, depth + 1))
  if (full.type === 'array') return inner
  if (inner.length > 0) return full.allOf ? Object.assign({}, ...inner) : inner[0]
  if (full.type === 'string') return STRINGS[full.format] ?? 'string'
  if (full.type === 'integer') return Math.max(full.minimum ?? 0, 0)
  return { number: 0, boolean: true, object: {} }[full.type] ?? null
}

/** The first media type of a request or response: its schema and, for JSON, an example. */
export function bodyOf(holder) {
  const [type, media] = Object.entries(resolve(holder).content ?? {})[0] ?? []
  if (!/json/.test(type) || !media.schema) return { type, schema: {}, example: () => undefined }
  const given = media.example ?? Object.values(media.examples ?? {})[0]?.value
  return {
    type,
    schema: media.schema,
    example: (terse) => (terse ? undefined : given) ?? sample(media.schema, terse),
  }
}

/** A curl command; what the caller must fill in is a variable, as in $MESSAGE_ID. */
export function curlCommand({ method, path, needsKey, parameters, body }) {
  const variable = (name) => `$${name.replace(/[A-Z]/g, '_$&').replace(/\W/g, '_').toUpperCase()}`
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(sample(schema))}`)
  const route = path.replace(/\{(.+?)\}/g, (_, name) => variable(name))
  const url = [`${baseUrl}${route}`, ...query].join('&').replace('&', '?')
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`]
  if (needsKey) lines.push('-H "Authorization: Bearer $API_KEY"')
  const data = JSON.stringify(body.example(true))?.replaceAll("'", "'\\''")
  if (data !== undefined) lines.push(`-H 'Content-Type: ${body.type}'`, `-d '${data}'`)
  return lines.join(' \\\n  ')
}

/** What the page needs of each operation, in the order of the document; webhooks come last. */
export function operations() {
  return [
    ...Object.entries(api.paths).flatMap(([path, item]) => operationsAt(path, item, false)),
    ...Object.entries(api.webhooks ?? {}).flatMap(([name, item]) => operationsAt(name, item, true)),
  ]
}

function operationsAt(path, item, isWebhook) {
  return METHODS.filter((method) => item[method] !== undefined).map((method) => {
    const { summary = path, tags = ['Other'], ...operation } = item[method]
    return {
      ...operation,
      isWebhook,
      method,
      path,
      summary,
      tag: tags[0],
      id: `${isWebhook ? 'webhook-' : method}${path.replace(/\W+/g, '-')}`,
      needsKey: (operation.security ?? api.security ?? []).length > 0,
      parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve),
      body: bodyOf(operation.requestBody),
    }
  })
}
