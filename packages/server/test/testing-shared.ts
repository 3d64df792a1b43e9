import { after } from 'node:test'

/**
 * What the tests of a suite share: made when the first of them asks, disposed after the last. Not
 * before: files share a process, which loads all of them first.
 */
export function shared<T>(make: (resources: AsyncDisposableStack) => Promise<T>): () => Promise<T> {
  const resources = new AsyncDisposableStack()
  let making: Promise<T> | null = null
  after(() => resources.disposeAsync())
  return () => {
    making ??= make(resources)
    return making
  }
}
