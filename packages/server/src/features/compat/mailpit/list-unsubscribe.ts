/** A List-Unsubscribe header as Mailpit reads it (RFC 2369 and RFC 8058). */
export function readListUnsubscribe(header: string, headerPost: string) {
  const value = header.trim()
  const none = { Header: value, HeaderPost: headerPost }
  if (value === '') return { ...none, Links: [], Errors: '' }
  const links = [...value.matchAll(/<([^<>]*)>/g)].map(([, link = '']) => link.trim())
  const problem = problemOf(links, headerPost)
  if (problem === null) return { ...none, Links: links, Errors: '' }
  return { ...none, Links: [], Errors: `"${value}" ${problem}` }
}

function problemOf(links: readonly string[], headerPost: string): string | null {
  if (links.length === 0) return 'no valid unsubscribe links found'
  const mailLinks = links.filter((link) => /^mailto:\S+$/i.test(link))
  const webLinks = links.filter((link) => /^https?:\/\/\S+$/i.test(link))
  if (mailLinks.length + webLinks.length < links.length) return 'invalid links'
  if (mailLinks.length > 1 || webLinks.length > 1) return 'multiple links of the same kind'
  if (headerPost !== '' && webLinks.length === 0) return 'one-click needs an HTTP link'
  return null
}
