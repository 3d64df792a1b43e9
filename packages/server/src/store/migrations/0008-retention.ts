/** Indexes by age, so that a sweep reads only what it deletes. */
export const retention = (): readonly string[] => [
  'drop index inbox_by_expiry',
  'create index inbox_by_expiry on inbox (expires_at, id)',
  'create index address_by_release on address (occupied_until)',
  'create index usage_day_by_date on usage_day (date)',
  'create index api_key_revoked on api_key (revoked_at) where revoked_at is not null',
]
