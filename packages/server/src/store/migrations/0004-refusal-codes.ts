/** Codes for what was only told by texts, and one kind of id for diagnostic events. */
export const refusalCodes = (): readonly string[] => [
  'alter table diagnostic_event add column reason text',
  'alter table diagnostic_event add column recipient text',
  // Suspensions by the operator were written under `evt_`, which sorts after every later `dia_`.
  `update diagnostic_event set id = 'dia_' || substr(id, 5) where id like 'evt%'`,

  'alter table attachment add column held_for text',
  `update attachment set held_for = 'scan'
    where status = 'quarantined' and reason = 'not scanned yet'`,
  'drop index attachment_held',
  // The condition has no parameter: SQLite cannot tell that an index serves one that has.
  'create index attachment_held on attachment (id) where held_for is not null',
]
