import { z } from 'zod'
import { QUERY_LENGTH_MAX } from './bounds.ts'

/** The `q` parameter: a search query. */
export const searchQuerySchema = z
  .string()
  .min(1)
  .max(QUERY_LENGTH_MAX)
  .describe(
    'A search query: terms that must all hold, such as `from:acme subject:"your code" -has:attachment`.',
  )
  .meta({ example: 'from:no-reply subject:welcome' })
