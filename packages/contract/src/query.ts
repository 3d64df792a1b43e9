import { z } from 'zod'

/** Longest cursor; ours have up to 60 characters. */
const CURSOR_LENGTH_MAX = 200

const INTEGER = /^-?\d{1,15}$/

/**
 * A whole number in a query, where every value is text. Only digits count: `Number` would also read
 * an empty text as 0.
 */
export function queryInteger(bounds: {
  readonly min: number
  readonly max: number
  readonly default: number
}) {
  const { min, max } = bounds
  return z
    .preprocess(
      (text) => (typeof text === 'string' && INTEGER.test(text) ? Number(text) : text),
      z.int().min(min).max(max).meta({ default: bounds.default }),
    )
    .default(bounds.default)
}

/** The `cursor` parameter of a list. */
export const cursorSchema = z
  .string()
  .max(CURSOR_LENGTH_MAX)
  .optional()
  .describe('The `nextCursor` of the page before.')

/** The cursor of the next page. */
export const nextCursorSchema = z
  .string()
  .nullable()
  .describe('Null on the last page.')
  .meta({ example: null })
