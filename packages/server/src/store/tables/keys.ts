import type { AccountId, Environment, Key, KeyId, Plan, Role } from '@mayfly/contract'
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import type { Schema } from '../schema.ts'
import type { Statements } from '../statements.ts'
import { isoTime, isoTimeOrNull } from '../time.ts'

/** A key as it is written. */
export type NewKey = {
  readonly id: KeyId
  readonly accountId: AccountId
  readonly name: string
  readonly environment: Environment
  readonly role: Role
  readonly prefix: string
  readonly secretHash: Uint8Array
  readonly createdAt: number
  /** When a session of the dashboard ends; null for a key. */
  readonly expiresAt?: number | null
}

/** The columns of a key that authentication needs. */
export type KeyCredential = {
  readonly keyId: KeyId
  readonly accountId: AccountId
  readonly role: Role
  readonly environment: Environment
  readonly plan: Plan
  readonly secretHash: Uint8Array
  readonly expiresAt: number | null
  /** The cell that the account is being moved to; null for most. */
  readonly movingTo: string | null
}

/** A key that can be used, or whose account is being moved. */
export type ActiveKey = { readonly prefix: string; readonly movingTo: string | null }

// Written by hand, past the query builder: it runs for every request.
const SELECT_CREDENTIALS = `select api_key.id, api_key.account_id, api_key.role,
    api_key.environment, api_key.prefix, api_key.secret_hash, api_key.expires_at, account.plan,
    account.moving_to
  from api_key join account on account.id = api_key.account_id
  where api_key.revoked_at is null and account.suspended_at is null`

/** API keys; only hashes of their secrets are stored. */
export class Keys {
  readonly #db: Kysely<Schema>
  readonly #dialect: Dialect
  readonly #statements: Statements

  constructor(db: Kysely<Schema>, dialect: Dialect, statements: Statements) {
    this.#db = db
    this.#dialect = dialect
    this.#statements = statements
  }

  /** Writes a new key. */
  async add(key: NewKey): Promise<Key> {
    const row = {
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      environment: key.environment,
      role: key.role,
      prefix: key.prefix,
      secret_hash: key.secretHash,
      created_at: key.createdAt,
      last_used_at: null,
      revoked_at: null,
      expires_at: key.expiresAt ?? null,
    }
    await this.#db.insertInto('api_key').values(row).execute()
    return toKey(row)
  }

  /** Active keys with this prefix: mostly one, in rare cases more. */
  async findCredentials(prefix: string): Promise<readonly KeyCredential[]> {
    const rows = await this.#statements.run<CredentialRow>(
      `${SELECT_CREDENTIALS} and api_key.prefix = ${this.#dialect.placeholder(1)}`,
      [prefix],
    )
    return rows.map(toCredential)
  }

  /** The same for several prefixes, in their order. */
  async listCredentials(
    prefixes: readonly string[],
  ): Promise<readonly (readonly KeyCredential[])[]> {
    const { among, list } = this.#dialect
    const rows = await this.#statements.run<CredentialRow>(
      `${SELECT_CREDENTIALS} and api_key.prefix ${among(1)}`,
      [list([...new Set(prefixes)])],
    )
    const found = Map.groupBy(rows, ({ prefix }) => prefix)
    return prefixes.map((prefix) => (found.get(prefix) ?? []).map(toCredential))
  }

  /** Those of these keys that are neither revoked nor expired, nor of a suspended account. */
  async findActive(ids: readonly KeyId[], now: number): Promise<Map<KeyId, ActiveKey>> {
    const rows = await this.#db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .select(['api_key.id', 'api_key.prefix', 'account.moving_to'])
      .where('api_key.id', 'in', ids)
      .where('api_key.revoked_at', 'is', null)
      .where(isUnexpired(now))
      .where('account.suspended_at', 'is', null)
      .execute()
    return new Map(rows.map((row) => [row.id, { prefix: row.prefix, movingTo: row.moving_to }]))
  }

  /** Active keys and sessions, oldest first. */
  async list(owner: AccountId, now: number): Promise<Key[]> {
    const rows = await this.#db
      .selectFrom('api_key')
      .selectAll()
      .where('account_id', '=', owner)
      .where('revoked_at', 'is', null)
      .where(isUnexpired(now))
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    return rows.map(toKey)
  }

  /** Whether an account has, or had, a key with this name. */
  async hasHad(owner: AccountId, name: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('api_key')
      .select('id')
      .where('account_id', '=', owner)
      .where('name', '=', name)
      .executeTakeFirst()
    return row !== undefined
  }

  /** Replaces the secret of a key; null when the key is not active. */
  async replaceSecret(
    owner: AccountId,
    id: KeyId,
    secret: Pick<NewKey, 'prefix' | 'secretHash'>,
  ): Promise<Key | null> {
    const row = await this.#db
      .updateTable('api_key')
      .set({ prefix: secret.prefix, secret_hash: secret.secretHash })
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    return row === undefined ? null : toKey(row)
  }

  /** Sets when a session ends; null when it is none. */
  async setExpiry(owner: AccountId, id: KeyId, expiresAt: number): Promise<Key | null> {
    const row = await this.#db
      .updateTable('api_key')
      .set({ expires_at: expiresAt })
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('expires_at', 'is not', null)
      .returningAll()
      .executeTakeFirst()
    return row === undefined ? null : toKey(row)
  }

  /** Revokes an active key. */
  async revoke(owner: AccountId, id: KeyId, revokedAt: number): Promise<void> {
    await this.#db
      .updateTable('api_key')
      .set({ revoked_at: revokedAt })
      .where('account_id', '=', owner)
      .where('id', '=', id)
      .execute()
  }

  /** Deletes keys that were revoked or had expired before then; returns how many. */
  async deleteRevoked(before: number, limit: number): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('api_key')
      .where('id', 'in', (from) =>
        from
          .selectFrom('api_key')
          .select('id')
          .where((or) => or.or([or('revoked_at', '<', before), or('expires_at', '<', before)]))
          .limit(limit),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  /** Sets when keys were last used, without waiting for those that are being deleted. */
  async setLastUsed(uses: readonly (readonly [KeyId, number])[]): Promise<void> {
    const skipDeleted = sql.raw(this.#dialect.skipDeleted)
    for (const [id, usedAt] of uses) {
      await sql`update api_key set last_used_at = ${usedAt} where id in (
        select id from api_key where id = ${id}${skipDeleted})`.execute(this.#db)
    }
  }
}

function isUnexpired(now: number) {
  return (where: ExpressionBuilder<Schema, 'api_key'>) =>
    where.or([where('api_key.expires_at', 'is', null), where('api_key.expires_at', '>', now)])
}

type CredentialRow = Pick<
  Selectable<Schema['api_key']>,
  'id' | 'account_id' | 'role' | 'environment' | 'prefix' | 'secret_hash' | 'expires_at'
> & { readonly plan: Plan; readonly moving_to: string | null }

type KeyRow = Omit<Selectable<Schema['api_key']>, 'account_id' | 'secret_hash' | 'revoked_at'>

function toCredential(row: CredentialRow): KeyCredential {
  return {
    keyId: row.id,
    accountId: row.account_id,
    role: row.role,
    environment: row.environment,
    plan: row.plan,
    secretHash: row.secret_hash,
    expiresAt: row.expires_at,
    movingTo: row.moving_to,
  }
}

function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    name: row.name,
    environment: row.environment,
    role: row.role,
    prefix: row.prefix,
    createdAt: isoTime(row.created_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    expiresAt: isoTimeOrNull(row.expires_at),
  }
}
