import { randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { UsageError } from './exit.ts'

/** A mail with placeholders such as `{{code}}`. */
export type Template = {
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
}

const BUILT_IN: Readonly<Record<string, Template>> = {
  otp: {
    subject: 'Your verification code',
    text: 'Hello,\n\nyour verification code is {{code}}. It is valid for 10 minutes.\n\nExample App\n',
    html: '<p>Hello,</p><p>your verification code is <b>{{code}}</b>. It is valid for 10 minutes.</p><p>Example App</p>',
  },
  link: {
    subject: 'Confirm your email address',
    text: 'Hello,\n\nplease confirm your email address:\n{{url}}\n\nExample App\n',
    html: '<p>Hello,</p><p>please <a href="{{url}}">confirm your email address</a>.</p><p>Example App</p>',
  },
  welcome: {
    subject: 'Welcome to Example App, {{name}}',
    text: 'Hello {{name}},\n\nwelcome to Example App.\n',
    html: '<h1>Hello {{name}}</h1><p>Welcome to Example App.</p>',
  },
}

const PLACEHOLDER = /\{\{\s*([\w-]+)\s*\}\}/g

/** The names of the built-in templates. */
export const TEMPLATE_NAMES: readonly string[] = Object.keys(BUILT_IN)

/** A template by its name, or from an .html or .txt file. */
export async function loadTemplate(name: string): Promise<Template> {
  const builtIn = BUILT_IN[name]
  if (builtIn !== undefined) return builtIn
  const extension = extname(name)
  if (extension !== '.html' && extension !== '.txt') {
    throw new UsageError(
      `--template must be ${TEMPLATE_NAMES.join(', ')}, or an .html or .txt file.`,
    )
  }
  const content = await readFile(name, 'utf8')
  const isHtml = extension === '.html'
  return {
    subject: (isHtml ? /<title>([^<]*)<\/title>/i.exec(content)?.[1] : undefined) ?? 'A test mail',
    text: isHtml ? null : content,
    html: isHtml ? content : null,
  }
}

/**
 * Replaces the placeholders; `code`, `url` and `name` have default values. Refuses a value for a
 * placeholder that the template does not have.
 */
export function fillTemplate(
  { subject, text, html }: Template,
  given: Readonly<Record<string, string>>,
): Template {
  const known = [subject, text ?? '', html ?? ''].flatMap((content) =>
    [...content.matchAll(PLACEHOLDER)].map(([, name = '']) => name),
  )
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const names = [...new Set(known)].join(', ') || 'none'
    throw new UsageError(`--set ${unknown}: the template has no {{${unknown}}}. It has: ${names}.`)
  }
  const values: Readonly<Record<string, string>> = {
    code: String(randomInt(100_000, 1_000_000)),
    url: `https://app.example/verify?token=${randomInt(2 ** 40).toString(36)}`,
    name: 'Ada',
    ...given,
  }
  const fill = (content: string, encode: (value: string) => string) =>
    content.replace(PLACEHOLDER, (placeholder, name) => {
      const value = values[name]
      if (value === undefined)
        throw new UsageError(`the template needs --set ${name}=… for ${placeholder}.`)
      return encode(value)
    })
  return {
    subject: fill(subject, (value) => value),
    text: text === null ? null : fill(text, (value) => value),
    html: html === null ? null : fill(html, escapeHtml),
  }
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
