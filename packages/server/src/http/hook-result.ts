import type { HookHandlerDoneFunction } from 'fastify'

/**
 * Ends a hook with `use` of a result that may have to be waited for. What is thrown refuses the
 * request.
 *
 * Not an async hook: a request passes eight, and most wait for nothing.
 */
export function endHookWith<Result>(
  done: HookHandlerDoneFunction,
  result: Result | Promise<Result>,
  use: (result: Result) => void,
): void {
  if (result instanceof Promise) {
    result.then(use).then(() => done(), done)
    return
  }
  // Fastify catches what is thrown before `done`.
  use(result)
  done()
}
