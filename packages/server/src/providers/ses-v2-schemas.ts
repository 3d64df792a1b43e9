// Bodies of Amazon SES, API version 2.

import { z } from 'zod'
import { text, texts } from './mail-fields.ts'

const HEADERS_MAX = 15

const list = z.array(z.string()).nullish()
const part = z.strictObject({ Data: z.string(), Charset: text }).nullish()
const headers = z
  .array(z.strictObject({ Name: z.string().max(126), Value: z.string().max(870) }))
  .max(HEADERS_MAX)
  .nullish()
const tags = z
  .array(z.strictObject({ Name: z.string().max(256), Value: z.string().max(256) }))
  .nullish()
const destination = z
  .strictObject({ ToAddresses: list, CcAddresses: list, BccAddresses: list })
  .nullish()

const attachments = z
  .array(
    z.strictObject({
      ...texts('ContentType', 'ContentDescription', 'ContentTransferEncoding'),
      RawContent: z.string(),
      FileName: z.string().min(1).max(255),
      ContentDisposition: z.enum(['ATTACHMENT', 'INLINE']).nullish(),
      ContentId: z.string().max(78).nullish(),
    }),
  )
  .nullish()

/** The parts of a template. */
export const templateContent = z.strictObject(texts('Subject', 'Text', 'Html'))

const template = z.strictObject({
  ...texts('TemplateName', 'TemplateArn'),
  TemplateContent: templateContent.nullish(),
  TemplateData: z.string().max(262_144).nullish(),
  Headers: headers,
  Attachments: attachments,
})

/** A template of a call. */
export type Template = z.output<typeof template>

const common = {
  ...texts('FromEmailAddress', 'FromEmailAddressIdentityArn', 'ConfigurationSetName'),
  ...texts('FeedbackForwardingEmailAddress', 'FeedbackForwardingEmailAddressIdentityArn'),
  ...texts('EndpointId', 'TenantName'),
  ReplyToAddresses: list,
}

/** The body of SendEmail. */
export const sendSchema = z.strictObject({
  ...common,
  Destination: destination,
  EmailTags: tags,
  ListManagementOptions: z.strictObject({ ContactListName: z.string(), TopicName: text }).nullish(),
  Content: z.strictObject({
    Simple: z
      .strictObject({
        Subject: part,
        Body: z.strictObject({ Text: part, Html: part }).nullish(),
        Headers: headers,
        Attachments: attachments,
      })
      .nullish(),
    Raw: z.strictObject({ Data: z.string() }).nullish(),
    Template: template.nullish(),
  }),
})

/** The body of SendBulkEmail. */
export const bulkSchema = z.strictObject({
  ...common,
  DefaultEmailTags: tags,
  DefaultContent: z.strictObject({ Template: template }),
  BulkEmailEntries: z
    .array(
      z.strictObject({
        Destination: destination,
        ReplacementTags: tags,
        ReplacementHeaders: headers,
        ReplacementEmailContent: z
          .strictObject({
            ReplacementTemplate: z.strictObject({ ReplacementTemplateData: text }).nullish(),
          })
          .nullish(),
      }),
    )
    .min(1)
    .max(50),
})

/** The body of the calls that store a template. */
export const templateSchema = z.strictObject({
  TemplateName: text,
  TemplateContent: templateContent,
  Tags: z.unknown().optional(),
})
/** The body of the call that tests a template. */
export const renderSchema = z.strictObject({ TemplateData: z.string() })
