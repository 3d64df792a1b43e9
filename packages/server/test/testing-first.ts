/** The first of a list, which must not be empty. */
export function first<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined) throw new Error('the list is empty')
  return item
}
