/** Indexes for lists of inboxes by state, in the order of their ids. */
export const inboxLists = (): readonly string[] => [
  'drop index inbox_by_account',
  'create index inbox_by_account on inbox (account_id, id)',
  'create index inbox_suspended on inbox (account_id, id) where suspended_at is not null',
]
