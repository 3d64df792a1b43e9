import { z } from 'zod'
import { DOMAIN_LENGTH_MAX } from './bounds.ts'
import { ID_PREFIXES, type IdKind } from './ids.ts'

/** As long as any part of a path may be. Ours have 30 characters. */
const ID_LENGTH_MAX = DOMAIN_LENGTH_MAX

/**
 * An id from a caller. Its format is not checked: an unknown id gives 404, whether or not it could
 * be one of ours.
 */
export function idSchema<Kind extends IdKind>(kind: Kind): z.core.$ZodBranded<z.ZodString, Kind> {
  const schema = z
    .string()
    .min(1)
    .max(ID_LENGTH_MAX)
    .meta({ example: `${ID_PREFIXES[kind]}01k9zq3v7d8s2m4n6p8r0t2w4y` })
  // zod's own `brand` cannot name a brand that is a type parameter; at run time it does nothing.
  return schema as z.core.$ZodBranded<z.ZodString, Kind>
}

/** An inbox, as a caller names it. The service replaces an address by the id. */
export const inboxRefSchema: z.core.$ZodBranded<z.ZodString, 'inbox'> = idSchema('inbox').meta({
  description: 'The id of the inbox, or its address.',
  example: `${ID_PREFIXES.inbox}01k9zq3v7d8s2m4n6p8r0t2w4y`,
})
