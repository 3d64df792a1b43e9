// Shows openapi.json. Whatever comes from it reaches the page as text, never as markup.

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const DEPTH_MAX = 6
const STRINGS = { 'date-time': '2026-01-31T09:30:00.000Z', email: 'ada@example.com' }
const byId = (id) => document.getElementById(id)
const answer = await fetch('openapi.json').catch(() => null)
const api = answer?.ok ? await answer.json() : null

/** make('p', { class: 'hint' }, 'text', child): an element with its attributes and children. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children.flat().filter((child) => child !== ''))
  return element
}

/** Paragraphs at blank lines, code between backticks; no other markup. */
function prose(text = '', attributes = {}) {
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const parts = paragraph.split('`').map((part, at) => (at % 2 ? make('code', {}, part) : part))
    return paragraph === '' ? [] : [make('p', attributes, parts)]
  })
}

/** Follows `$ref`; what stands beside it counts more. */
function resolve(schema = {}) {
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
function kindOf(schema, depth = 0) {
  const full = resolve(schema)
  if ('const' in full) return JSON.stringify(full.const)
  const parts = depth < DEPTH_MAX ? partsOf(full).map((part) => kindOf(part, depth + 1)) : []
  const words = [...new Set(parts)].join(full.allOf ? ' and ' : ' or ')
  if (full.type === 'array') return `array of ${words || 'any'}`
  const own = [[full.type ?? 'any'].flat().join(' or '), full.format].filter(Boolean).join(', ')
  return words || own
}

function range(min, max, unit) {
  // Schema writers add the largest safe integer by themselves; it tells a reader nothing.
  const [from, to] = [min, max].map((at) => (Math.abs(at) < Number.MAX_SAFE_INTEGER ? at : null))
  if (to === null) return from === null ? '' : `at least ${from}${unit}`
  return from === null ? `at most ${to}${unit}` : `${from} to ${to}${unit}`
}

/** What a value may be beyond its kind, as phrases. */
function boundsOf(schema, depth = 0) {
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
function objectsIn(schema, depth = 0) {
  const full = resolve(schema)
  if (full.properties) return [full]
  return depth > DEPTH_MAX ? [] : partsOf(full).flatMap((part) => objectsIn(part, depth + 1))
}

/** One list a kind of object, nested lists within. */
function fields(schema, depth = 0) {
  const objects = depth > DEPTH_MAX ? [] : objectsIn(schema)
  return objects.map(({ properties, required = [] }) => {
    const rows = Object.entries(properties).map(([name, property]) =>
      field({ name, schema: property, required: required.includes(name) }, depth),
    )
    return make('ul', { class: 'fields' }, rows)
  })
}

function field({ name, schema, required, description }, depth) {
  const inner = fields(schema, depth + 1)
  const label = inner.length > 1 ? `${inner.length} forms` : 'Fields'
  return make(
    'li',
    {},
    make('code', {}, make('strong', {}, name)),
    make('span', { class: 'kind' }, `${kindOf(schema)}${required ? '' : ' · optional'}`),
    prose(description ?? resolve(schema).description),
    prose(boundsOf(schema).join('; '), { class: 'hint' }),
    folded(label, inner, depth < 1),
  )
}

function folded(label, content, open) {
  if (content.length === 0) return ''
  return make('details', open ? { open: '' } : {}, make('summary', {}, label), content)
}

/** A value of the schema: its own example, or one made up; with `terse` only what is required. */
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
function bodyOf(holder) {
  const [type, media] = Object.entries(resolve(holder).content ?? {})[0] ?? []
  if (!/json/.test(type) || !media.schema) return { type, schema: {}, example: () => undefined }
  const given = media.example ?? Object.values(media.examples ?? {})[0]?.value
  return { type, schema: media.schema, example: (terse) => given ?? sample(media.schema, terse) }
}

/** A line for a shell; what the caller must fill in is a variable, as in $MESSAGE_ID. */
function curlLine({ method, path, needsKey, parameters, body }) {
  const variable = (name) => `$${name.replace(/[A-Z]/g, '_$&').replace(/\W/g, '_').toUpperCase()}`
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(sample(schema))}`)
  const route = path.replace(/\{(.+?)\}/g, (_, name) => variable(name))
  const url = [`${location.origin}${route}`, ...query].join('&').replace('&', '?')
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`]
  if (needsKey) lines.push('-H "Authorization: Bearer $API_KEY"')
  const data = JSON.stringify(body.example(true))?.replaceAll("'", "'\\''")
  if (data !== undefined) lines.push(`-H 'Content-Type: ${body.type}'`, `-d '${data}'`)
  return lines.join(' \\\n  ')
}

function highlighted(json) {
  const tokens = json.split(/("(?:[^"\\]|\\.)*":?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b)/)
  const kind = (token) => (token.endsWith(':') ? 'key' : token[0] === '"' ? 'string' : 'number')
  return tokens.map((token, at) => (at % 2 ? make('span', { class: kind(token) }, token) : token))
}

/** A box with text as it is, or with a value as JSON; nothing for no value. */
function example(caption, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  if (text === undefined) return ''
  const code = make('pre', { tabindex: '0' }, text === value ? text : highlighted(text))
  const button = make('button', { type: 'button', 'aria-label': `Copy: ${caption}` }, 'Copy')
  button.addEventListener('click', async () => {
    // Without HTTPS a browser gives no clipboard: mark the text, so that Ctrl+C takes it.
    getSelection().selectAllChildren(code)
    const copied = navigator.clipboard?.writeText(text).then(() => 'Copied')
    button.textContent = await (copied ?? Promise.reject()).catch(() => 'Marked')
  })
  return make('figure', {}, make('figcaption', {}, caption, button), code)
}

function answerRow([status, holder]) {
  const { type, schema } = bodyOf(holder)
  const { description = '' } = resolve(holder)
  const isGood = Number(status) < 400
  const inner = fields(schema, isGood ? 0 : 1)
  return make(
    'li',
    {},
    make('b', { class: isGood ? 'post' : 'delete' }, status),
    make('span', { class: 'kind' }, type === undefined ? 'no body' : type.split(';')[0]),
    prose(description === 'Default Response' ? '' : description),
    isGood ? inner : folded('Body', inner, false),
  )
}

/** What the page needs of each operation, in the order of the document. */
function operations() {
  return Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const { summary = path, tags = ['Other'], ...operation } = item[method]
      return {
        ...operation,
        method,
        path,
        summary,
        tag: tags[0],
        id: `${method}${path.replace(/\W+/g, '-')}`,
        needsKey: (operation.security ?? api.security ?? []).length > 0,
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve),
        body: bodyOf(operation.requestBody),
      }
    }),
  )
}

function article(operation) {
  const { id, method, path, summary, description, needsKey, parameters, body } = operation
  const answers = Object.entries(operation.responses ?? {})
  const best = answers.find(([status]) => Number(status) < 400) ?? []
  const section = (title, lists) => (lists.length > 0 ? [make('h4', {}, title), ...lists] : [])
  const listOf = (rows) => (rows.length > 0 ? [make('ul', { class: 'fields' }, rows)] : [])
  const places = ['path', 'query', 'header'].flatMap((place) => {
    const rows = parameters.filter((parameter) => parameter.in === place)
    return section(`In the ${place}`, listOf(rows.map((row) => field(row, 1))))
  })
  const about = make(
    'div',
    {},
    make('h3', {}, summary),
    make('p', { class: 'route' }, make('b', { class: method }, method), make('code', {}, path)),
    make('p', { class: 'hint' }, needsKey ? 'Needs an API key.' : 'Needs no API key.'),
    prose(description),
    [...places, ...section('Body', fields(body.schema))],
    section('Answers', listOf(answers.map(answerRow))),
  )
  const examples = [
    example('curl', curlLine(operation)),
    example('Body', body.example(false)),
    example(`Answer ${best[0]}`, bodyOf(best[1]).example(false)),
  ]
  return make('article', { id }, about, make('div', { class: 'examples' }, examples))
}

function show() {
  const { title, version, description } = api.info
  document.title = byId('heading').textContent = `${title} API ${version}`
  const [note] = prose(`Paths are relative to \`${location.origin}\`. As a file: `)
  note.append(make('a', { href: 'openapi.json' }, 'openapi.json'))
  byId('about').replaceChildren(...prose(description), note)

  const groups = [...Map.groupBy(operations(), ({ tag }) => tag)].map(([tag, members]) => {
    const entries = members.map((operation) => {
      const { id, method, path, summary } = operation
      const link = make('a', { href: `#${id}` }, make('b', { class: method }, method), summary)
      const text = `${method} ${path} ${summary} ${tag}`.toLowerCase()
      return { text, item: make('li', {}, link), article: article(operation) }
    })
    const [items, articles] = [entries.map(({ item }) => item), entries.map((at) => at.article)]
    const menu = make('section', {}, make('h2', {}, tag), make('ul', {}, items))
    return { entries, menu, page: make('section', {}, make('h2', {}, tag), articles) }
  })
  byId('list').replaceChildren(...groups.map(({ menu }) => menu))
  byId('operations').replaceChildren(...groups.map(({ page }) => page))
  byId('filter').addEventListener('input', () => filter(groups))
  filter(groups)
  byId(location.hash.slice(1))?.scrollIntoView()
}

function filter(groups) {
  const words = byId('filter').value.toLowerCase().split(/\s+/)
  const isFound = ({ text }) => words.every((word) => text.includes(word))
  for (const { entries, menu, page } of groups) {
    for (const entry of entries) entry.item.hidden = entry.article.hidden = !isFound(entry)
    menu.hidden = page.hidden = !entries.some(isFound)
  }
  const count = groups.flatMap(({ entries }) => entries.filter(isFound)).length
  byId('count').textContent = count === 1 ? '1 operation' : `${count} operations`
}

/** Beside the page the menu is always open; on a phone it closes when something was chosen. */
const isWide = matchMedia('(min-width: 52rem)')
const settleMenu = () => (byId('menu').open = isWide.matches)
settleMenu()
isWide.addEventListener('change', settleMenu)
byId('list').addEventListener('click', settleMenu)
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === byId('filter')) return
  event.preventDefault()
  byId('filter').focus()
})
if (api !== null) show()
else byId('about').textContent = 'The description could not be loaded.'
