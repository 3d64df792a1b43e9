/** Codes beside texts that were compared, and one kind of id for diagnostic events. */
export const refusalCodes = (): readonly string[] => [
  'alter table diagnostic_event add column reason text',
  'alter table diagnostic_event add column recipient text',
  // Suspensions by the operator were written under `evt_`, which sorts after every later `dia_`.
  `update diagnostic_event set id = 'dia_' || substr(id, 5) where id like 'evt%'`,

  'alter table attachment add column held_for text',
  `update attachment set held_for = 'scan'
    where status = 'quarantined' and reason = 'not scanned yet'`,
  'drop index attachment_held',
  // `is not null` and not `= 'scan'`: SQLite uses a partial index only for a condition that it
  // knows when the statement is prepared, and a value would be a parameter.
  'create index attachment_held on attachment (id) where held_for is not null',
]
