import type { Query, QueryTerm } from './parse-query.ts'
import { type QueriedContent, QueriedMail, type QueriedSummary } from './queried-mail.ts'

/**
 * The first term of a query that a mail does not meet; null when it meets them all.
 *
 * The content is read only when a term asks for it and all other terms hold. Null in its place
 * stands for a mail that was deleted in the meantime.
 */
export async function findUnmetTerm(
  query: Query,
  summary: QueriedSummary,
  readContent: () => Promise<QueriedContent | null>,
): Promise<QueryTerm | null> {
  const ofContent: QueryTerm[] = []
  for (const term of query.terms) {
    if (term.reads === 'content') ofContent.push(term)
    else if (term.holds(summary) === term.isNegated) return term
  }
  const [first] = ofContent
  if (first === undefined) return null
  const content = await readContent()
  if (content === null) return first
  const mail = new QueriedMail(summary, content)
  return (
    ofContent.find((term) => term.reads === 'content' && term.holds(mail) === term.isNegated) ??
    null
  )
}
