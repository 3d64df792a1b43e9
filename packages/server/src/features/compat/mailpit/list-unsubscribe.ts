/** How each kind of link begins. Mailpit takes `mailto:` in lower case only. */
const KINDS = [
  { name: 'mailto:', start: /^mailto:[a-zA-Z0-9]/ },
  { name: 'HTTP link', start: /^https?:\/\/[a-z0-9]/i },
] as const

/** A List-Unsubscribe header as Mailpit reads it (RFC 2369): its links, and what is wrong. */
export function readListUnsubscribe(header: string) {
  const value = withoutComments(header)
  const problem = value === '' ? '' : problemOf(value)
  if (problem !== null) return { Header: header, Links: [], Errors: problem }
  const Links: string[] = []
  const problems: string[] = []
  const seen = new Set<string>()
  for (const link of linksOf(value)) {
    const kind = KINDS.find(({ start }) => start.test(link))?.name
    const wrong = problemOfLink(link, kind, seen)
    if (wrong === null) Links.push(link)
    else problems.push(wrong)
    if (kind !== undefined) seen.add(kind)
  }
  return { Header: header, Links, Errors: problems.join(', ') }
}

/** Comments are in parentheses; a loop and no regular expression, whose time would be quadratic. */
function withoutComments(header: string): string {
  let value = ''
  let from = 0
  for (;;) {
    const open = header.indexOf('(', from)
    const close = open === -1 ? -1 : header.indexOf(')', open)
    if (close === -1) return (value + header.slice(from)).trim()
    value += header.slice(from, open)
    from = close + 1
  }
}

const linksOf = (value: string) => [...value.matchAll(/<([^<>\n]*)>/g)].map(([, link = '']) => link)

/** Why none of the links count; null if nothing is wrong with the header as a whole. */
function problemOf(value: string): string | null {
  const shown = `"${value}"`
  const count = linksOf(value).length
  if (count === 0) return `${shown} no valid unsubscribe links found`
  if (!value.startsWith('<') || !value.endsWith('>')) return `${shown} should be enclosed in <>`
  if (count > 2) return `${shown} should include a maximum of one email and one HTTP link`
  const isSplit = count === 1 || />\s*,\s*</.test(value)
  return isSplit ? null : `${shown} <> should be split with a comma and optional spaces`
}

function problemOfLink(
  link: string,
  kind: string | undefined,
  seen: ReadonlySet<string>,
): string | null {
  if (/\s/.test(link)) return `"${link}" should not contain spaces`
  if (kind === undefined) return `"${link}" should start with either http(s):// or mailto:`
  if (seen.has(kind)) return `"${link}" should only contain one ${kind}`
  return URL.canParse(link) ? null : `"${link}" is no valid address`
}
