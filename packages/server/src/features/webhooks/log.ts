import type { Delivery } from '@mayfly/contract'
import { ServiceError } from '../../errors.ts'
import type { Tables } from '../../store/all-tables.ts'
import type { DeliveryPosition } from '../../store/tables/deliveries.ts'
import type { Caller } from '../accounts/authenticate.ts'

/** A page of the caller's delivery log, newest first. */
export async function listDeliveries(
  deps: { readonly store: Tables },
  caller: Caller,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<{ deliveries: Delivery[]; nextCursor: string | null }> {
  const before = cursor === undefined ? null : readCursor(cursor)
  // One more than requested: it shows whether there is a next page.
  const page = await deps.store.deliveries.list(caller.accountId, { limit: limit + 1, before })
  const deliveries = page.slice(0, limit)
  const last = deliveries.at(-1)
  const nextCursor = page.length > limit && last !== undefined ? writeCursor(last) : null
  return { deliveries, nextCursor }
}

/** Names the last entry of a page, so that pages stay stable while deliveries are added. */
function writeCursor({ createdAt, id }: Delivery): string {
  return Buffer.from(`${Date.parse(createdAt)} ${id}`).toString('base64url')
}

function readCursor(cursor: string): DeliveryPosition {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, createdAt, id] = /^(\d{1,15}) (evt_\w{1,60})$/.exec(text) ?? []
  if (createdAt === undefined || id === undefined) {
    throw new ServiceError('invalid_parameter', {
      message: 'cursor: must be the nextCursor of an earlier page',
    })
  }
  return { createdAt: Number(createdAt), id }
}
