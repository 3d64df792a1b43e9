// Amazon SES, API version 1: forms with an `Action`, answers in XML.

import { readBase64 } from './compose.ts'
import {
  type Answer,
  type Call,
  type Codes,
  codeOf,
  type Outcome,
  type Provider,
  type Refusal,
  Rejected,
  type Route,
} from './provider.ts'
import {
  composeRaw,
  composeSes,
  composeTemplated,
  findTemplate,
  invalid,
  listTemplates,
  putTemplate,
  QUOTA,
  refusalText,
  renderedText,
  SesError,
  type SesMail,
} from './ses.ts'
import { merged, refuseV2, SES_BODY_BYTES_MAX, sesV2Routes, signatureErrorV2 } from './ses-v2.ts'
import { accessKeyOf, signatureProblem } from './sigv4.ts'

const MESSAGE_BYTES_MAX = 10 * 1024 * 1024
const NAMESPACE = 'http://ses.amazonaws.com/doc/2010-12-01/'

/** An element of XML: its text, or its elements; a list has several of one name. */
type Xml = string | number | boolean | readonly Xml[] | { readonly [name: string]: Xml }

function xml(value: Xml): string {
  if (Array.isArray(value)) return value.map((one: Xml) => `<member>${xml(one)}</member>`).join('')
  if (typeof value !== 'object')
    return String(value)
      .replace(/[<>&]/g, (char) => `&#${char.charCodeAt(0)};`)
      .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd]/g, ' ')
  const element = (name: string, own: Xml) => `<${name}>${xml(own)}</${name}>`
  return Object.entries(value)
    .flatMap(([name, own]: [string, Xml]) =>
      // The entries of a map are no members of a list.
      name === 'entry' && Array.isArray(own)
        ? own.map((one: Xml) => element(name, one))
        : [element(name, own)],
    )
    .join('')
}

const TYPE = 'text/xml'

function answer(action: string, result: Xml | null, id: string): Answer {
  const body = {
    ...(result === null ? {} : { [`${action}Result`]: result }),
    ResponseMetadata: { RequestId: id },
  }
  return {
    status: 200,
    body: {
      type: TYPE,
      text: `<${action}Response xmlns="${NAMESPACE}">${xml(body)}</${action}Response>`,
    },
  }
}

function error(status: number, code: string, message: string): Answer {
  const Type = status < 500 ? 'Sender' : 'Receiver'
  const body = {
    Error: { Type, Code: code, Message: message },
    RequestId: '00000000-0000-0000-0000-000000000000',
  }
  return {
    status,
    body: { type: TYPE, text: `<ErrorResponse xmlns="${NAMESPACE}">${xml(body)}</ErrorResponse>` },
  }
}

type Form = URLSearchParams

/** The values of a list: `Destination.ToAddresses.member.1` and so on. */
function members(form: Form, name: string): readonly string[] {
  const values: string[] = []
  for (let i = 1; form.has(`${name}.member.${i}`); i++)
    values.push(form.get(`${name}.member.${i}`) ?? '')
  return values
}

function tagsOf(form: Form, name: string): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {}
  for (let i = 1; form.has(`${name}.member.${i}.Name`); i++) {
    tags[form.get(`${name}.member.${i}.Name`) ?? ''] = form.get(`${name}.member.${i}.Value`) ?? ''
  }
  return tags
}

function mailOf(form: Form, prefix = 'Destination'): SesMail {
  const [to, cc, bcc] = ['To', 'Cc', 'Bcc'].map((kind) =>
    members(form, `${prefix}.${kind}Addresses`),
  )
  return {
    from: form.get('Source') || null,
    destination: { to: to ?? [], cc: cc ?? [], bcc: bcc ?? [] },
    replyTo: members(form, 'ReplyToAddresses'),
    tags: tagsOf(form, 'Tags'),
    configurationSet: form.get('ConfigurationSetName'),
  }
}

function needed(form: Form, name: string): string {
  const value = form.get(name)
  if (value !== null && value !== '') return value
  throw invalid(`Value for parameter ${name} is required.`)
}

/** The result of an action: XML, and the mails that it sends. */
type Acted = {
  readonly result?: Xml | null
  readonly mails?: Extract<Outcome, { answer: Answer }>['mails']
  readonly failure?: string | undefined
}

const ACTIONS: Readonly<Record<string, (call: Call, form: Form) => Acted | Promise<Acted>>> = {
  SendEmail: async (call, form) => {
    const [text, html] = [form.get('Message.Body.Text.Data'), form.get('Message.Body.Html.Data')]
    if (!text && !html) throw invalid('Message.Body must have Text, Html or both.')
    const subject = form.get('Message.Subject.Data')
    if (subject === null) throw invalid('Value for parameter Message.Subject.Data is required.')
    const mail = await composeSes(call, mailOf(form), { subject, text, html })
    return { result: { MessageId: mail.id }, mails: [mail] }
  },
  SendRawEmail: (call, form) => {
    const bytes = readBase64(needed(form, 'RawMessage.Data'))
    if (bytes === null) throw invalid('RawMessage.Data must be a mail in base64.')
    if (bytes.length > MESSAGE_BYTES_MAX)
      throw invalid(
        `Message length is more than ${MESSAGE_BYTES_MAX} bytes long: '${bytes.length}'.`,
      )
    const to = members(form, 'Destinations')
    const mail = composeRaw(
      call,
      { ...mailOf(form), destination: to.length === 0 ? null : { to, cc: [], bcc: [] } },
      bytes,
    )
    call.setRecorded({ ...Object.fromEntries(form), 'RawMessage.Data': `<${bytes.length} bytes>` })
    return { result: { MessageId: mail.id }, mails: [mail] }
  },
  SendTemplatedEmail: async (call, form) => {
    const template = await findTemplate(call, needed(form, 'Template'))
    const { id, mails, failure } = await composeTemplated(call, mailOf(form), {
      template,
      data: form.get('TemplateData') ?? '',
    })
    return { result: { MessageId: id }, mails, failure }
  },
  SendBulkTemplatedEmail: async (call, form) => {
    const template = await findTemplate(call, needed(form, 'Template'))
    const all: NonNullable<Acted['mails']>[number][] = []
    const Status: Xml[] = []
    for (
      let i = 1;
      i <= 50 && [...form.keys()].some((name) => name.startsWith(`Destinations.member.${i}.`));
      i++
    ) {
      const prefix = `Destinations.member.${i}`
      const data = merged(
        form.get('DefaultTemplateData') ?? '',
        form.get(`${prefix}.ReplacementTemplateData`),
      )
      const mail = {
        ...mailOf(form, `${prefix}.Destination`),
        tags: { ...tagsOf(form, 'DefaultTags'), ...tagsOf(form, `${prefix}.ReplacementTags`) },
      }
      const { id, mails } = await composeTemplated(call, mail, { template, data })
      all.push(...mails)
      Status.push({ Status: 'Success', MessageId: id })
    }
    return { result: { Status }, mails: all }
  },
  CreateTemplate: (call, form) => saveTemplate(call, form, true),
  UpdateTemplate: (call, form) => saveTemplate(call, form, false),
  GetTemplate: async (call, form) => {
    const name = needed(form, 'TemplateName')
    const { subject, text, html } = await findTemplate(call, name)
    return {
      result: {
        Template: {
          TemplateName: name,
          SubjectPart: subject,
          TextPart: text ?? '',
          HtmlPart: html ?? '',
        },
      },
    }
  },
  DeleteTemplate: async (call, form) => {
    await call.work.templates.remove(needed(form, 'TemplateName'))
    return { result: {} }
  },
  ListTemplates: async (call) => {
    const found = await listTemplates(call)
    return {
      result: {
        TemplatesMetadata: found.map(({ name, createdAt }) => ({
          Name: name,
          CreatedTimestamp: new Date(createdAt).toISOString(),
        })),
      },
    }
  },
  TestRenderTemplate: async (call, form) => {
    const template = await findTemplate(call, needed(form, 'TemplateName'))
    const data = form.get('TemplateData') ?? ''
    return { result: { RenderedTemplate: await renderedText(template, data) } }
  },
  GetSendQuota: () => ({
    result: {
      Max24HourSend: QUOTA.max24HourSend,
      MaxSendRate: QUOTA.maxSendRate,
      SentLast24Hours: 0,
    },
  }),
  GetSendStatistics: () => ({ result: { SendDataPoints: [] } }),
  GetAccountSendingEnabled: () => ({ result: { Enabled: true } }),
  VerifyEmailIdentity: () => ({ result: {} }),
  VerifyEmailAddress: () => ({ result: null }),
  VerifyDomainIdentity: () => ({ result: { VerificationToken: 'verified' } }),
  DeleteIdentity: () => ({ result: {} }),
  ListIdentities: () => ({ result: { Identities: [] } }),
  GetIdentityVerificationAttributes: (_call, form) => {
    const value = { VerificationStatus: 'Success' }
    const entry = members(form, 'Identities').map((key) => ({ key, value }))
    return { result: { VerificationAttributes: { entry } } }
  },
}

async function saveTemplate(call: Call, form: Form, isNew: boolean): Promise<Acted> {
  const part = (name: string) => form.get(`Template.${name}`)
  const name = needed(form, 'Template.TemplateName')
  await putTemplate(call, {
    name,
    isNew,
    subject: part('SubjectPart') ?? '',
    text: part('TextPart'),
    html: part('HtmlPart'),
  })
  return { result: {} }
}

async function act(call: Call): Promise<Outcome> {
  const form = new URLSearchParams(call.body.toString('utf8'))
  call.setRecorded(Object.fromEntries(form))
  const action = form.get('Action') ?? ''
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (run === undefined)
    throw reject(
      400,
      'InvalidAction',
      `Could not find operation ${action.slice(0, 100)} for version ${form.get('Version') ?? ''}.`,
    )
  try {
    const { result = null, mails = [], failure } = await run(call, form)
    return { answer: answer(action, result, call.work.uuid()), mails, failure }
  } catch (failed) {
    // Version 1 answers 400 to all of them.
    if (failed instanceof SesError) throw reject(400, failed.code, failed.message)
    throw failed
  }
}

const reject = (status: number, code: string, message: string) =>
  new Rejected(error(status, code, message), message)

const isV2 = (path: string) => path.startsWith('/v2/')

const CODES: Codes<string> = {
  missing_key: [403, 'MissingAuthenticationToken'],
  invalid_key: [403, 'InvalidClientTokenId'],
  unverified: [400, 'MessageRejected'],
  full: [400, 'LimitExceeded'],
  rate_limited: [400, 'Throttling'],
  too_large: [413, 'RequestEntityTooLarge'],
}

const STATUSES: Readonly<Record<number, string>> = {
  403: 'AccessDenied',
  429: 'Throttling',
  500: 'InternalFailure',
  503: 'ServiceUnavailable',
}

function refuseV1(refusal: Refusal): Answer {
  const [status, code] = codeOf(
    refusal,
    CODES,
    (own) => STATUSES[own] ?? (own < 500 ? 'InvalidParameterValue' : 'InternalFailure'),
  )
  return error(status, code, refusalText(refusal))
}

const v1: Route = {
  method: 'POST',
  path: '/',
  operation: ({ body }) =>
    /(?:^|&)Action=(\w{1,50})/.exec(body.subarray(0, 4096).toString('latin1'))?.[1] ?? 'POST /',
  run: act,
}

/** The regions that have SES: a certificate has no wildcard for a part in the middle. */
const REGIONS: readonly string[] = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'ca-central-1', 'sa-east-1'],
  ...['eu-west-1', 'eu-west-2', 'eu-west-3', 'eu-central-1', 'eu-central-2', 'eu-north-1'],
  ...['eu-south-1', 'ap-south-1', 'ap-south-2', 'ap-southeast-1', 'ap-southeast-2'],
  ...['ap-southeast-3', 'ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'me-south-1'],
  ...['me-central-1', 'il-central-1', 'af-south-1'],
]

/** Amazon SES. */
export const ses: Provider = {
  name: 'ses',
  hosts: [...REGIONS.map((region) => `email.${region}.amazonaws.com`), '*.amazonaws.com'],
  bodyBytesMax: SES_BODY_BYTES_MAX,
  key: accessKeyOf,
  checkSignature: (request) => {
    const problem = signatureProblem(request)
    if (problem === null) return null
    const { code, message } = problem
    return isV2(request.path) ? signatureErrorV2(code, message) : error(403, code, message)
  },
  routes: [v1, ...sesV2Routes],
  refuse: (refusal, { path }) => (isV2(path) ? refuseV2(refusal) : refuseV1(refusal)),
}
