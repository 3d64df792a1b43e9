/** Who sent a message, beside it: the diagnostics of an inbox do not read the content of mails. */
export const messageSenders = (): readonly string[] => [
  'alter table message add column sender text',
]
