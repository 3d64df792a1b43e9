// Amazon SES, API version 2: JSON.

import type { z } from 'zod'
import { readBase64 } from './compose.ts'
import { resultOf } from './mail-fields.ts'
import {
  type Answer,
  type Call,
  type Codes,
  codeOf,
  type Item,
  json,
  type Outcome,
  type Refusal,
  Rejected,
  type Route,
} from './provider.ts'
import { type Problem, readJson } from './read-body.ts'
import {
  composeRaw,
  composeSes,
  composeTemplated,
  findTemplate,
  invalid,
  listTemplates,
  parts,
  putTemplate,
  QUOTA,
  refusalText,
  renderedText,
  SesError,
  type SesMail,
  type SesTemplate,
} from './ses.ts'
import {
  bulkSchema,
  renderSchema,
  sendSchema,
  type Template,
  type templateContent,
  templateSchema,
} from './ses-v2-schemas.ts'

const BODY_BYTES_MAX = 40 * 1024 * 1024
/** Names that differ from those of version 1. */
const NAMES: Readonly<Record<string, readonly [name: string, status: number]>> = {
  InvalidParameterValue: ['BadRequestException', 400],
  MessageRejected: ['MessageRejected', 400],
  TemplateDoesNotExist: ['NotFoundException', 404],
  AlreadyExists: ['AlreadyExistsException', 400],
  LimitExceeded: ['LimitExceededException', 400],
}

function error(status: number, type: string, message: string): Answer {
  return json(status, { message }, { 'x-amzn-errortype': type })
}

function rejected({ code, message }: SesError): Rejected {
  const [name, status] = NAMES[code] ?? ['BadRequestException', 400]
  return new Rejected(error(status, name, message), message)
}

function problem({ kind, field, message }: Problem): Rejected {
  const reason =
    kind === 'json'
      ? 'The body is not valid JSON.'
      : `${field}: ${kind === 'missing' ? 'is required' : message}`
  return new Rejected(
    error(400, kind === 'json' ? 'SerializationException' : 'BadRequestException', reason),
    reason,
  )
}

/** A route whose errors of SES are written in the form of this version. */
function operation(
  method: string,
  [name, path]: readonly [string, string],
  run: Route['run'],
): Route {
  return {
    method,
    path: `/v2/email/${path}`,
    operation: name,
    run: async (call) => {
      try {
        return await run(call)
      } catch (failed) {
        throw failed instanceof SesError ? rejected(failed) : failed
      }
    },
  }
}

const done = (body: unknown): Outcome => ({ answer: json(200, body) })

type Body = Omit<z.output<typeof sendSchema>, 'Content' | 'ListManagementOptions'>

function mailOf({
  FromEmailAddress,
  Destination,
  ReplyToAddresses,
  EmailTags,
  ConfigurationSetName,
}: Body): SesMail {
  const { ToAddresses, CcAddresses, BccAddresses } = Destination ?? {}
  const hasAny = [ToAddresses, CcAddresses, BccAddresses].some((list) => (list ?? []).length > 0)
  return {
    from: FromEmailAddress || null,
    destination: hasAny
      ? { to: ToAddresses ?? [], cc: CcAddresses ?? [], bcc: BccAddresses ?? [] }
      : null,
    replyTo: ReplyToAddresses ?? [],
    tags: Object.fromEntries((EmailTags ?? []).map(({ Name, Value }) => [Name, Value] as const)),
    configurationSet: ConfigurationSetName,
  }
}

async function sendEmail(call: Call): Promise<Outcome> {
  const body = readJson(call, sendSchema, problem)
  const { Simple, Raw, Template } = body.Content
  const given = [Simple, Raw, Template].filter(Boolean)
  if (given.length !== 1)
    throw invalid('Content must have exactly one of Simple, Raw and Template.')
  const mail = mailOf(body)
  if (Template) {
    const { id, mails, failure } = await composeTemplated(call, mail, {
      ...(await templateOf(call, Template)),
      extra: extraOf(Template),
    })
    return { answer: json(200, { MessageId: id }), mails, failure }
  }
  if (Raw) {
    const bytes = readBase64(Raw.Data)
    if (bytes === null || bytes.length === 0) throw invalid('Raw.Data must be a mail in base64.')
    const composed = composeRaw(call, mail, bytes)
    call.setRecorded({ ...body, Content: { Raw: { Data: `<${bytes.length} bytes>` } } })
    return { answer: json(200, { MessageId: composed.id }), mails: [composed] }
  }
  const subject = Simple?.Subject?.Data
  const { Text, Html } = Simple?.Body ?? {}
  if (subject === undefined) throw invalid('Content.Simple.Subject is required.')
  if (!Text && !Html) throw invalid('Content.Simple.Body must have Text, Html or both.')
  const { ListManagementOptions: list } = body
  const unsubscribe = list
    ? [
        {
          name: 'List-Unsubscribe',
          value: `<https://${list.ContactListName}.list-manage.amazonses.com/unsubscribe>`,
        },
      ]
    : []
  const { headers: own = [], files = [] } = extraOf(Simple ?? {})
  const composed = await composeSes(call, mail, {
    subject,
    text: Text?.Data,
    html: Html?.Data,
    headers: [...own, ...unsubscribe],
    files,
  })
  return { answer: json(200, { MessageId: composed.id }), mails: [composed] }
}

function extraOf({ Headers, Attachments }: Pick<Template, 'Headers' | 'Attachments'>) {
  const files = (Attachments ?? []).map(({ RawContent: content, FileName: filename, ...one }) => {
    const disposition = one.ContentDisposition === 'INLINE' ? 'inline' : 'attachment'
    const content_id = one.ContentId?.replace(/^<|>$/g, '')
    return parts.file({ content, filename, type: one.ContentType, content_id, disposition }, '')
  })
  return {
    headers: parts.headers((Headers ?? []).map(({ Name, Value }) => [Name, Value] as const)),
    files,
  }
}

async function templateOf(call: Call, given: Template) {
  const { TemplateName, TemplateArn, TemplateContent, TemplateData } = given
  const name = TemplateName ?? TemplateArn?.split('/').at(-1)
  if (!name && !TemplateContent)
    throw invalid('Content.Template needs TemplateName, TemplateArn or TemplateContent.')
  const found = TemplateContent ? contentOf(TemplateContent) : await findTemplate(call, name ?? '')
  return { template: found, data: TemplateData ?? '' }
}

const contentOf = ({ Subject, Text, Html }: z.output<typeof templateContent>): SesTemplate => ({
  subject: Subject ?? '',
  text: Text,
  html: Html,
})

async function sendBulk(call: Call): Promise<Outcome> {
  const body = readJson(call, bulkSchema, problem)
  const { Template } = body.DefaultContent
  const { template: found, data } = await templateOf(call, Template)
  const items: Item[] = []
  for (const entry of body.BulkEmailEntries) {
    const EmailTags = [...(body.DefaultEmailTags ?? []), ...(entry.ReplacementTags ?? [])]
    const mail = mailOf({ ...body, Destination: entry.Destination, EmailTags })
    const own = entry.ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData
    const extra = extraOf({ ...Template, Headers: entry.ReplacementHeaders ?? Template.Headers })
    try {
      const { id, mails } = await composeTemplated(call, mail, {
        template: found,
        data: merged(data, own),
        extra,
      })
      items.push({ mails, accepted: { Status: 'SUCCESS', MessageId: id } })
    } catch (failed) {
      if (!(failed instanceof SesError)) throw failed
      const Status = failed.code === 'MessageRejected' ? 'MESSAGE_REJECTED' : 'INVALID_PARAMETER'
      items.push({ rejected: { Status, Error: failed.message }, reason: failed.message })
    }
  }
  return { items }
}

/** The data of an entry: its own values in place of the defaults. */
export function merged(defaults: string, own: string | null | undefined): string {
  if (!own) return defaults
  try {
    return JSON.stringify({ ...JSON.parse(defaults || '{}'), ...JSON.parse(own) })
  } catch {
    throw invalid('The template data must be a JSON object.')
  }
}

const saveTemplate = (isNew: boolean) => async (call: Call) => {
  const body = readJson(call, templateSchema, problem)
  await putTemplate(call, {
    name: call.params['name'] ?? body.TemplateName ?? '',
    isNew,
    ...contentOf(body.TemplateContent),
  })
  return done({})
}

const named = (call: Call) => findTemplate(call, call.params['name'] ?? '')

const IDENTITY = {
  IdentityType: 'EMAIL_ADDRESS',
  VerificationStatus: 'SUCCESS',
  VerifiedForSendingStatus: true,
  FeedbackForwardingStatus: true,
  DkimAttributes: { SigningEnabled: true, Status: 'SUCCESS', Tokens: [] },
}

/** The routes of version 2. */
export const sesV2Routes: readonly Route[] = [
  operation('POST', ['SendEmail', 'outbound-emails'], sendEmail),
  {
    ...operation('POST', ['SendBulkEmail', 'outbound-bulk-emails'], sendBulk),
    join: (results) =>
      json(200, {
        BulkEmailEntryResults: results.map((one) =>
          resultOf(one, ({ message }) => ({ Status: 'MESSAGE_REJECTED', Error: message })),
        ),
      }),
  },
  operation('POST', ['CreateEmailTemplate', 'templates'], saveTemplate(true)),
  operation('PUT', ['UpdateEmailTemplate', 'templates/:name'], saveTemplate(false)),
  operation('GET', ['ListEmailTemplates', 'templates'], async (call) => {
    const found = await listTemplates(call)
    return done({
      TemplatesMetadata: found.map(({ name, createdAt }) => ({
        TemplateName: name,
        CreatedTimestamp: createdAt / 1000,
      })),
    })
  }),
  operation('GET', ['GetEmailTemplate', 'templates/:name'], async (call) => {
    const { subject: Subject, text: Text, html: Html } = await named(call)
    return done({ TemplateName: call.params['name'], TemplateContent: { Subject, Text, Html } })
  }),
  operation('DELETE', ['DeleteEmailTemplate', 'templates/:name'], async (call) => {
    await named(call)
    await call.work.templates.remove(call.params['name'] ?? '')
    return done({})
  }),
  operation('POST', ['TestRenderEmailTemplate', 'templates/:name/render'], async (call) => {
    const { TemplateData } = readJson(call, renderSchema, problem)
    return done({ RenderedTemplate: await renderedText(await named(call), TemplateData) })
  }),
  operation('GET', ['GetAccount', 'account'], () =>
    done({
      ...{
        DedicatedIpAutoWarmupEnabled: false,
        EnforcementStatus: 'HEALTHY',
        ProductionAccessEnabled: true,
        SendingEnabled: true,
      },
      SendQuota: {
        Max24HourSend: QUOTA.max24HourSend,
        MaxSendRate: QUOTA.maxSendRate,
        SentLast24Hours: 0,
      },
    }),
  ),
  operation('POST', ['CreateEmailIdentity', 'identities'], () =>
    done({ IdentityType: 'EMAIL_ADDRESS', VerifiedForSendingStatus: true }),
  ),
  operation('GET', ['ListEmailIdentities', 'identities'], () => done({ EmailIdentities: [] })),
  operation('GET', ['GetEmailIdentity', 'identities/:identity'], () => done(IDENTITY)),
  operation('DELETE', ['DeleteEmailIdentity', 'identities/:identity'], () => done({})),
  operation('GET', ['ListSuppressedDestinations', 'suppression/addresses'], () =>
    done({ SuppressedDestinationSummaries: [] }),
  ),
  operation('POST', ['CreateConfigurationSet', 'configuration-sets'], () => done({})),
]

/** The size of a mail of version 2. */
export const SES_BODY_BYTES_MAX = Math.ceil((BODY_BYTES_MAX * 4) / 3) + 1024 * 1024

const TYPES: Codes<string> = {
  missing_key: [403, 'MissingAuthenticationTokenException'],
  invalid_key: [403, 'UnrecognizedClientException'],
  unknown_path: [404, 'UnknownOperationException'],
  unverified: [400, 'MessageRejected'],
  full: [400, 'LimitExceededException'],
  too_large: [400, 'BadRequestException'],
  malformed: [400, 'BadRequestException'],
}

const STATUSES: Readonly<Record<number, string>> = {
  403: 'AccessDeniedException',
  404: 'NotFoundException',
  429: 'TooManyRequestsException',
  500: 'InternalServiceErrorException',
  503: 'ServiceUnavailableException',
}

/** A refusal in the form of version 2. */
export function refuseV2(refusal: Refusal): Answer {
  const [status, type] = codeOf(
    refusal,
    TYPES,
    (own) => STATUSES[own] ?? (own < 500 ? 'BadRequestException' : 'InternalServiceErrorException'),
  )
  return error(status, type, refusalText(refusal))
}

/** A wrong signature in the form of version 2. */
export function signatureErrorV2(code: string, message: string): Answer {
  return error(
    403,
    code === 'IncompleteSignature' ? 'IncompleteSignatureException' : 'InvalidSignatureException',
    message,
  )
}
