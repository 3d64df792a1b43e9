import { ERRORS, nearestName } from '@mayfly/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError, type ServiceErrorDetail } from '../errors.ts'

/** The methods of every path, for requests without a route. */
export class KnownPaths {
  readonly #methodsByPattern = new Map<string, Set<string>>()

  /** Adds a route. */
  add(pattern: string, methods: string | readonly string[]): void {
    const known = this.#methodsByPattern.get(pattern) ?? new Set()
    for (const method of [methods].flat()) known.add(method)
    this.#methodsByPattern.set(pattern, known)
  }

  /** The error for a request without a route: 405 if the path has other methods, else 404. */
  refusal(url: string): ServiceError {
    const path = url.split('?', 1)[0] ?? ''
    // A path of its own before one with a parameter: `rotate` is no id of a key.
    const methods =
      this.#methodsByPattern.get(path) ??
      [...this.#methodsByPattern].find(([pattern]) => matches(pattern, path))?.[1]
    if (methods === undefined) return new ServiceError('route_not_found', this.#suggestion(path))
    return new ServiceError('method_not_allowed', { allowedMethods: [...methods].toSorted() })
  }

  /** Names the path of the API that was probably meant. */
  #suggestion(path: string): ServiceErrorDetail {
    if (path.length > SUGGESTION_LENGTH_MAX) return {}
    const patterns = [...this.#methodsByPattern.keys()].filter((one) => one.startsWith('/v1/'))
    const meant = nearestName(
      path,
      patterns.map((pattern) => filledIn(pattern, path)),
    )
    if (meant === null) return {}
    const { message } = ERRORS.route_not_found
    return { message: `${message} Did you mean ${meant}?` }
  }
}

/** Longest path for which a similar one is searched. */
const SUGGESTION_LENGTH_MAX = 80

/** Refuses requests without a route, before their body is read or judged. */
export function refuseUnmatched(http: FastifyInstance, paths: KnownPaths): void {
  http.addHook('onRoute', ({ url, method }) => paths.add(url, method))
  http.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw paths.refusal(request.url)
    done()
  })
}

/** A pattern with the ids of a path in the places of its parameters. */
function filledIn(pattern: string, path: string): string {
  const given = path.replace(/^\/v1(?=\/)/, '').split('/')
  const [, , ...wanted] = pattern.split('/')
  const parts = wanted.map((part, i) => (part.startsWith(':') ? (given[i + 1] ?? part) : part))
  return ['', 'v1', ...parts].join('/')
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  )
}
