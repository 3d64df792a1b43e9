/** An index of an account's inboxes by expiry: its streams list those that have not expired. */
export const accountStreams = (): readonly string[] => [
  'create index inbox_by_account_expiry on inbox (account_id, expires_at, id)',
]
