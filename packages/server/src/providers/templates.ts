// Templates in the languages of the providers. Each library is loaded when it is first used, and
// the thread in which they run is ended when one takes too long.

import type Handlebars from 'handlebars'

/** A template cannot be rendered; the message says why. */
export class TemplateFailed extends Error {}

/** Characters of a rendered text: far above any mail. */
const RENDERED_CHARS_MAX = 5 * 1024 * 1024

/** How a template is rendered. */
export type RenderOptions = {
  /** Whether `{{name}}` is HTML-escaped. */
  readonly isHtml: boolean
  /** Throws for a name without a value. */
  readonly isStrict?: boolean
}

/** Renders a Handlebars template. */
export async function renderHandlebars(
  template: string,
  data: unknown,
  { isHtml, isStrict = false }: RenderOptions,
): Promise<string> {
  const { default: library } = await import('handlebars')
  const engine = library.create()
  engine.unregisterHelper('log')
  for (const [name, helper] of Object.entries(HELPERS)) engine.registerHelper(name, helper)
  if (isStrict) engine.registerHelper('helperMissing', refuseMissing)
  return rendered(() => engine.compile(template, { noEscape: !isHtml })(data))
}

function refuseMissing(...args: unknown[]): never {
  const { name } = args.at(-1) as Handlebars.HelperOptions & { readonly name: string } // Always last.
  throw new TemplateFailed(`Attribute '${name}' is not present in the rendering data.`)
}

type Block = Handlebars.HelperOptions

const block = (isTrue: (...given: unknown[]) => boolean) =>
  function helper(this: unknown, ...args: unknown[]): string {
    // The options come last.
    const options = args.at(-1) as Block
    return isTrue(...args.slice(0, -1)) ? options.fn(this) : options.inverse(this)
  }

/** SendGrid's helpers. */
const HELPERS: Readonly<Record<string, Handlebars.HelperDelegate>> = {
  equals: block((a, b) => String(a) === String(b)),
  notEquals: block((a, b) => String(a) !== String(b)),
  and: block((...all) => all.every(Boolean)),
  or: block((...all) => all.some(Boolean)),
  greaterThan: block((a, b) => Number(a) > Number(b)),
  lessThan: block((a, b) => Number(a) < Number(b)),
  length: (list: unknown) => (Array.isArray(list) || typeof list === 'string' ? list.length : 0),
  insert: (...args: unknown[]) => {
    const [value, fallback] = args.slice(0, -1)
    if (value !== undefined && value !== null && value !== '') return value
    return typeof fallback === 'string' ? fallback.replace(/^default=/, '') : ''
  },
}

/** Renders a Mustache template; `{{#each list}}` and `{{/each}}` are those of Mustachio. */
export async function renderMustache(
  template: string,
  data: unknown,
  { isHtml }: RenderOptions,
): Promise<string> {
  const { default: mustache } = await import('mustache')
  const options = isHtml ? {} : { escape: String }
  return rendered(() => mustache.render(withoutEach(template), data, {}, options))
}

/** `{{#each items}}…{{/each}}` as `{{#items}}…{{/items}}`. */
function withoutEach(template: string): string {
  const open: string[] = []
  return template.replaceAll(
    /\{\{\s*([#^/])\s*([^{}]{1,200}?)\s*\}\}/g,
    (tag: string, sign: string, name: string) => {
      if (sign !== '/') {
        const list = sign === '#' ? (/^each\s+(.+)$/.exec(name)?.[1] ?? name) : name
        open.push(list)
        return `{{${sign}${list}}}`
      }
      const last = open.pop()
      return last === undefined || (name !== 'each' && name !== last) ? tag : `{{/${last}}}`
    },
  )
}

function rendered(render: () => string): string {
  let text: string
  try {
    text = render()
  } catch (error) {
    if (error instanceof TemplateFailed) throw error
    if (error instanceof RangeError) throw new TemplateFailed('The template is nested too deeply.')
    const message = error instanceof Error ? error.message : String(error)
    throw new TemplateFailed(message.slice(0, MESSAGE_LENGTH_MAX))
  }
  if (text.length > RENDERED_CHARS_MAX) throw new TemplateFailed('The rendered text is too long.')
  return text
}

const MESSAGE_LENGTH_MAX = 300
