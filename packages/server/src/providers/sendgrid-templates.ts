// Errors and templates of SendGrid's API: /v3.

import { z } from 'zod'
import { texts } from './mail-fields.ts'
import { type Answer, type Call, json, jsonRoutes, Rejected, templatesOf } from './provider.ts'
import { type Problem, readJson } from './read-body.ts'

const versionSchema = z.strictObject({
  ...texts('name', 'subject', 'html_content', 'plain_content', 'editor', 'test_data'),
  generate_plain_content: z.boolean().nullish(),
  active: z.union([z.int(), z.boolean()]).nullish(),
})

/** A version of a template. */
export type Version = z.output<typeof versionSchema> & { readonly id: string }
type Template = {
  readonly name: string
  readonly generation: string
  readonly versions: readonly Version[]
}

/** An answer with an error. */
export function errors(status: number, message: string, field: string | null = null): Answer {
  return json(status, { errors: [{ message, field, help: null }] })
}

/** Rejects a call for a field. */
export function reject(field: string | null, message: string): Rejected {
  return new Rejected(
    errors(400, message, field),
    field === null ? message : `${field}: ${message}`,
  )
}

/** Rejects the call unless a rule is kept. */
export function must(isKept: unknown, field: string, message: string): asserts isKept {
  if (!isKept) throw reject(field, message)
}

/** SendGrid's texts for fields that are missing. */
const MISSING: Readonly<Record<string, string>> = {
  personalizations:
    'The personalizations field is required and must have at least one personalization.',
  from: 'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.',
}

/** Rejects a body that the schema does not accept. */
export function invalid({ kind, field }: Problem): Rejected {
  if (kind === 'json' || field === '') return reject(null, 'Bad Request')
  const [first = ''] = field.split('.', 1)
  const known = field === first || field === 'from.email' ? MISSING[first] : undefined
  if (known !== undefined) return reject(first === 'from' ? 'from.email' : field, known)
  return reject(field, kind === 'missing' ? 'This field is required.' : 'Invalid type or value.')
}

const templates = templatesOf<Template>({
  missing: (_name, { path }) => {
    const isSend = path === '/v3/mail/send'
    const message = 'The template does not exist here. Create it with POST /v3/templates.'
    if (isSend) return reject('template_id', message)
    return new Rejected(json(404, { error: message }), message)
  },
  full: () => reject(null, 'The account has as many templates as it may have.'),
})

/** The version of a template that is sent. */
export async function activeVersion(call: Call, id: string): Promise<Version> {
  const { versions } = (await templates.get(call, id)).content
  const version = versions.find(({ active }) => active === 1) ?? versions.at(-1)
  must(version, 'template_id', 'The template has no version.')
  return version
}

type Found = Awaited<ReturnType<typeof templates.get>>

const presented = ({ id, createdAt, content }: Found) => {
  const updated_at = new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')
  return { id, ...content, updated_at }
}

const nameSchema = z.strictObject({
  name: z.string().min(1).max(100),
  generation: z.enum(['legacy', 'dynamic']).nullish(),
})

async function saveVersion(call: Call) {
  const found = await templates.get(call)
  const { versions, ...content } = found.content
  const old = versions.find(({ id }) => id === call.params['version'])
  const given = readJson(call, versionSchema, invalid)
  const id = old?.id ?? call.work.uuid()
  const active = Number(given.active ?? old?.active ?? 1)
  const version = { ...old, ...given, id, active }
  // One version is active.
  const others = versions
    .filter((one) => one.id !== id)
    .map((one) => (active === 1 ? { ...one, active: 0 } : one))
  await templates.put(call, { ...found, content: { ...content, versions: [...others, version] } })
  return { template_id: found.id, ...version }
}

/** The calls for templates. */
export const templateRoutes = jsonRoutes({
  'POST /v3/templates 201': async (call) => {
    const { name, generation } = readJson(call, nameSchema, invalid)
    const uuid = call.work.uuid()
    const id = generation === 'legacy' ? uuid : `d-${uuid.replaceAll('-', '')}`
    const content = { name, generation: generation ?? 'dynamic', versions: [] }
    return presented(await templates.put(call, { id, alias: id, content }))
  },
  'GET /v3/templates': async (call) => {
    const result = (await templates.list(call)).map(presented)
    return { result, templates: result, _metadata: { count: result.length } }
  },
  'GET /v3/templates/:id': async (call) => presented(await templates.get(call)),
  'DELETE /v3/templates/:id': async (call) => void (await templates.remove(call)),
  'POST /v3/templates/:id/versions 201': saveVersion,
  'PATCH /v3/templates/:id/versions/:version': saveVersion,
})
