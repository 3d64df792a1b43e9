import { z } from 'zod'
import { ERRORS, type ErrorCode } from './errors.ts'

/** The body of every error. */
export const errorSchema = z
  .object({
    error: z.object({
      type: z.string().describe('The kind of error; `docs/errors.md` lists them.'),
      code: z.string().describe('Identifies the error; branch on this field.'),
      message: z.string().describe('For a person: what happened and what to do next.'),
      requestId: z
        .string()
        .optional()
        .describe('Only with internal errors; the log has the details under this id.'),
    }),
  })
  .meta({
    id: 'Error',
    example: {
      error: {
        type: 'not_found',
        code: 'inbox_not_found',
        message: 'Your account has no such inbox.',
      },
    },
  })

type ErrorStatus = (typeof ERRORS)[ErrorCode]['status']

/** The error responses of a route: one entry for each status, with its codes. */
export function errorResponses<Code extends ErrorCode>(...codes: readonly Code[]) {
  const byStatus: Partial<Record<ErrorStatus, ErrorResponse>> = {}
  for (const code of codes) {
    const { status, message } = ERRORS[code]
    const earlier = byStatus[status]?.description
    const line = `\`${code}\`: ${message}`
    byStatus[status] = {
      description: earlier === undefined ? line : `${earlier}\n\n${line}`,
      content: { 'application/json': { schema: errorSchema } },
    }
  }
  // The keys are exactly the statuses of these codes, which the compiler cannot see from a loop.
  return byStatus as Record<(typeof ERRORS)[Code]['status'], ErrorResponse>
}

/** One documented error response. */
export type ErrorResponse = {
  readonly description: string
  readonly content: { readonly 'application/json': { readonly schema: typeof errorSchema } }
}
