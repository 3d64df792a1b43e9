import { ServiceError } from '../../errors.ts'

const KEY = /^mf_(?:live|test)_([a-z][a-z0-9]{0,7})_/
const SIGN_IN_TOKEN = /^([a-z][a-z0-9]{0,7})_[\w-]{43}$/

/** The cell that an API key names; null for a key without one. */
export function cellOfKey(secret: string): string | null {
  return KEY.exec(secret)?.[1] ?? null
}

/** The cell that the token of a sign-in link names. */
export function cellOfToken(token: string): string | null {
  return SIGN_IN_TOKEN.exec(token)?.[1] ?? null
}

/** Seconds after which a call to an account that is being moved is worth repeating. */
const MOVING_RETRY_SECONDS = 5

/** The error of every call to an account that is being moved. */
export function accountMoving(to: string): ServiceError {
  return new ServiceError('account_moving', {
    message: `This account is being moved to the cell "${to}". Nothing was changed; try again in a moment.`,
    retryAfterSeconds: MOVING_RETRY_SECONDS,
  })
}

/**
 * Throws when a secret that this cell does not know names another cell. Only then: an account that
 * was moved here keeps its keys, which name the cell that they come from.
 */
export function requireOwnCell(own: string | null, named: string | null, what: string): void {
  if (own === null || named === null || named === own) return
  throw new ServiceError('wrong_cell', {
    message: `${what} belongs to the cell "${named}"; this is the cell "${own}". Connect to the cell "${named}", or check the routes of the proxy.`,
    fields: { cell: named },
  })
}
