import { z } from 'zod'

/** ISO 8601 in UTC with milliseconds, the format of all date-times in responses. */
export const dateTimeSchema = z.iso
  .datetime({ precision: 3 })
  .meta({ example: '2026-01-31T09:30:00.000Z' })

/** A date-time from a caller: any ISO 8601 instant with a zone. */
export const instantSchema = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time with a time zone' })
  .meta({ example: '2026-01-31T09:30:00Z' })
