import type { ColumnTypes } from '../dialect.ts'

/**
 * Requests by name and part of a window. Nodes of the version before count in `rate_window` until
 * they are stopped.
 */
export const rateSlots = (t: ColumnTypes): readonly string[] => [
  `create ${t.unlogged}table rate_slot (
    name text not null,
    started_at ${t.integer} not null,
    window_ms ${t.integer} not null,
    used ${t.integer} not null,
    primary key (name, started_at)
  )${t.options}`,
]
