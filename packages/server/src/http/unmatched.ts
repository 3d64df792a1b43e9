import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

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
    if (methods === undefined) return new ServiceError('route_not_found')
    return new ServiceError('method_not_allowed', { allowedMethods: [...methods].toSorted() })
  }
}

/** Refuses requests without a route, before their body is read or judged. */
export function refuseUnmatched(http: FastifyInstance, paths: KnownPaths): void {
  http.addHook('onRoute', ({ url, method }) => paths.add(url, method))
  http.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw paths.refusal(request.url)
    done()
  })
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  )
}
