import { ServiceError } from '../../errors.ts'
import type { Caller } from '../accounts/authenticate.ts'

/** Refuses a call that only an admin key may make. */
export function requireAdmin(caller: Caller): void {
  if (caller.role !== 'admin') throw new ServiceError('admin_required')
}
