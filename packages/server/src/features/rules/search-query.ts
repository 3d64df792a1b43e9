import { parseQuery } from '@mayfly/mail'
import { ServiceError } from '../../errors.ts'

/** A search query of a caller; throws when it is invalid. */
export function readSearchQuery(q: string): ReturnType<typeof parseQuery> {
  const query = parseQuery(q)
  const [problem] = query.problems
  if (problem === undefined) return query
  throw new ServiceError('invalid_parameter', { message: `q: ${problem}` })
}
