/** One page of a list; `nextCursor` is null on the last one. */
type Page = { readonly nextCursor: string | null }

/**
 * The first page of a list when it is awaited; every item of this page and of those after it in
 * `for await`, which reads a page when it is reached.
 */
export type Pages<First extends Page, Item> = Promise<First> & AsyncIterable<Item>

/** Reads the first page now, and the others while the result is iterated. */
export function pages<
  First extends Page,
  Item,
  Query extends { readonly cursor?: string | undefined },
>(
  query: Query,
  read: (query: Query) => Promise<First>,
  itemsOf: (page: First) => readonly Item[],
): Pages<First, Item> {
  const first = read(query)
  async function* items(): AsyncGenerator<Item, void> {
    let page = await first
    yield* itemsOf(page)
    while (page.nextCursor !== null) {
      page = await read({ ...query, cursor: page.nextCursor })
      yield* itemsOf(page)
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items })
}
