import { z } from 'zod'
import { DOMAIN_LENGTH_MAX } from './bounds.ts'
import { dateTimeSchema } from './date-times.ts'
import { errorResponses } from './error-responses.ts'
import { KEY_ERRORS, SECURITY } from './security.ts'

/** A domain that the caller may create inboxes on. */
export const receivingDomainSchema = z
  .object({
    domain: z.string().meta({ example: 'mayfly.test' }),
    type: z.enum(['public', 'private', 'custom']),
    status: z.literal('active'),
  })
  .meta({ id: 'ReceivingDomain' })

/** A domain that the caller may create inboxes on. */
export type ReceivingDomain = z.infer<typeof receivingDomainSchema>

/** The state of a custom domain: claimed, ownership proven, MX record found. */
export const domainStateSchema = z.enum(['pending', 'verified', 'active'])

/** The state of a custom domain. */
export type DomainState = z.infer<typeof domainStateSchema>

/** A custom domain, with the records that its owner must publish. */
export const domainSchema = z
  .object({
    domain: z.string().meta({ example: 'qa.example.com' }),
    state: domainStateSchema,
    txtRecord: z
      .object({
        name: z.string().meta({ example: '_mayfly-challenge.qa.example.com' }),
        type: z.literal('TXT'),
        value: z.string().meta({ example: 'mayfly-verification=7f3k2m9q' }),
      })
      .describe('Proves ownership of the domain. It must stay published.'),
    mxRecord: z
      .object({
        name: z.string().meta({ example: 'qa.example.com' }),
        type: z.literal('MX'),
        value: z.string().meta({ example: 'mx.mayfly.test' }),
        priority: z.number().int().meta({ example: 10 }),
      })
      .describe(
        'Routes the mail of the domain to this service; with it the domain becomes active.',
      ),
    createdAt: dateTimeSchema,
    verifiedAt: dateTimeSchema.nullable(),
    activeAt: dateTimeSchema.nullable(),
    lastCheckedAt: dateTimeSchema.nullable(),
    lapsesAt: dateTimeSchema
      .nullable()
      .describe(
        'When the claim lapses unless the TXT record is found; null while the record is there.',
      ),
  })
  .meta({ id: 'Domain' })

/** A custom domain, with the records that its owner must publish. */
export type Domain = z.infer<typeof domainSchema>

const TAGS = ['Domains']
const domainParams = z.object({ domain: z.string().meta({ example: 'qa.example.com' }) })

/** GET /v1/domains */
export const listDomains = {
  operationId: 'listDomains',
  tags: TAGS,
  summary: 'List the domains for new inboxes',
  description:
    'Public domains, the private pool if the plan includes it, and your active custom domains.',
  security: SECURITY,
  response: {
    200: z.object({ domains: z.array(receivingDomainSchema) }),
    ...errorResponses(...KEY_ERRORS),
  },
}

/** POST /v1/domains */
export const registerDomain = {
  operationId: 'registerDomain',
  tags: TAGS,
  summary: 'Register a custom domain',
  description:
    'Admin keys only. Publish the two returned records, then verify. A claim that is not verified within 7 days lapses.',
  security: SECURITY,
  body: z.strictObject({
    domain: z.string().trim().min(1).max(DOMAIN_LENGTH_MAX).meta({ example: 'qa.example.com' }),
  }),
  response: {
    201: z.object({ domain: domainSchema }),
    ...errorResponses(
      'invalid_json',
      'invalid_parameter',
      ...KEY_ERRORS,
      'admin_required',
      'plan_limit',
      'domain_registered',
    ),
  },
}

/** GET /v1/domains/custom */
export const listCustomDomains = {
  operationId: 'listCustomDomains',
  tags: TAGS,
  summary: 'List your custom domains in any state',
  security: SECURITY,
  response: { 200: z.object({ domains: z.array(domainSchema) }), ...errorResponses(...KEY_ERRORS) },
}

/** POST /v1/domains/{domain}/verify */
export const verifyDomain = {
  operationId: 'verifyDomain',
  tags: TAGS,
  summary: 'Check the records of a domain now',
  description: 'Verified when the TXT record is found; active when the MX record is found too.',
  security: SECURITY,
  params: domainParams,
  response: {
    200: z.object({ domain: domainSchema }),
    ...errorResponses(...KEY_ERRORS, 'domain_not_found', 'txt_record_not_found', 'dns_unavailable'),
  },
}

/** DELETE /v1/domains/{domain} */
export const deleteDomain = {
  operationId: 'deleteDomain',
  tags: TAGS,
  summary: 'Delete a custom domain',
  description:
    'Admin keys only. Its inboxes expire at once; their messages stay readable for the retention of the plan.',
  security: SECURITY,
  params: domainParams,
  response: {
    204: z.null().describe('Deleted.'),
    ...errorResponses(...KEY_ERRORS, 'admin_required', 'domain_not_found'),
  },
}
