import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { describe, it } from 'node:test'
import * as v1 from '@aws-sdk/client-ses'
import * as v2 from '@aws-sdk/client-sesv2'
import Mailgun from 'mailgun.js'
import { ServerClient } from 'postmark'
import { Resend } from 'resend'
import { startService } from '../testing-start-service.ts'
import { givenProject } from './testing-project.ts'

type Post = {
  readonly host: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

describe("the listener of providers' APIs", () => {
  it('has all of them at its root', async () => {
    await using service = await startService({ env: { MAYFLY_PROVIDERS_PORT: '0' } })
    const { inbox, key } = await givenProject(service)
    const host = `127.0.0.1:${service.providersPort}`
    const options = {
      endpoint: `http://${host}`,
      region: 'us-east-1',
      credentials: { accessKeyId: key, secretAccessKey: key },
    }
    const mail = { from: 'app@acme.example', to: 'a@example.com', subject: 'Hi', text: 'Hi' }
    const Message = { Subject: { Data: 'ses v1' }, Body: { Text: { Data: 'Hi' } } }
    const Destination = { ToAddresses: [mail.to] }
    await new v1.SESClient(options).send(
      new v1.SendEmailCommand({ Source: mail.from, Destination, Message }),
    )
    const Simple = { ...Message, Subject: { Data: 'ses v2' } }
    await new v2.SESv2Client(options).send(
      new v2.SendEmailCommand({ FromEmailAddress: mail.from, Destination, Content: { Simple } }),
    )
    const resend = new Resend(key, { baseUrl: `http://${host}` })
    assert.equal((await resend.emails.send({ ...mail, subject: 'resend' })).error, null)
    const postmark = new ServerClient(key, { useHttps: false, requestHost: host })
    await postmark.sendEmail({ From: mail.from, To: mail.to, Subject: 'postmark', TextBody: 'Hi' })
    // Both have /templates.
    assert.equal((await postmark.getTemplates()).TotalCount, 0)
    assert.equal((await resend.templates.list()).data?.object, 'list')
    const mailgun = new Mailgun(FormData).client({ username: 'api', key, url: `http://${host}` })
    await mailgun.messages.create('mg.acme.example', { ...mail, to: [mail.to], subject: 'mailgun' })
    const send = {
      personalizations: [{ to: [{ email: mail.to }] }],
      from: { email: mail.from },
      subject: 'sendgrid',
      content: [{ type: 'text/plain', value: 'Hi' }],
    }
    const sent = await fetch(`http://${host}/v3/mail/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(send),
    })
    assert.equal(sent.status, 202)
    const { messages } = await inbox.listMessages()
    const subjects = messages.map(({ subject }) => subject).toSorted()
    assert.deepEqual(subjects, ['mailgun', 'postmark', 'resend', 'sendgrid', 'ses v1', 'ses v2'])
    const unknown = await fetch(`http://${host}/v9/unknown`)
    assert.deepEqual(
      [unknown.status, (await unknown.text()).includes('/providers/<name>/')],
      [404, true],
    )
    const page = await fetch(`http://${host}/emails`, {
      method: 'POST',
      headers: { origin: 'https://page.example' },
    })
    assert.equal(page.status, 403)
  })

  it('speaks TLS for the real host names, with a certificate that is written to a file', async () => {
    const env = {
      MAYFLY_PROVIDERS_PORT: '0',
      MAYFLY_PROVIDERS_TLS: 'self-signed',
      MAYFLY_LOG_LEVEL: 'info',
    }
    await using service = await startService({ env })
    const { inbox, key } = await givenProject(service)
    const line = service.logged
      .map((one) => JSON.parse(one))
      .find(({ file }) => String(file).endsWith('providers-ca.pem'))
    const ca = await readFile(line.file)
    const post = ({ host, path, headers, body }: Post) =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = {
          host: '127.0.0.1',
          port: service.providersPort,
          servername: host,
          ca,
          method: 'POST',
          path,
          headers: { ...headers, host },
          agent: false as const,
        }
        request(options, (response) => {
          response.resume().on('end', () => resolve(response.statusCode))
        })
          .on('error', reject)
          .end(body)
      })
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const body = JSON.stringify({
      ...{ from: 'app@acme.example', to: 'a@example.com', subject: 'Hi', text: 'Hi' },
    })
    const resend = { path: '/emails', headers, body }
    assert.equal(await post({ ...resend, host: 'api.resend.com' }), 200)
    assert.equal(await post({ ...resend, host: 'localhost' }), 200)
    const ses = { host: 'email.eu-west-1.amazonaws.com', path: '/v2/email/outbound-emails' }
    assert.equal(await post({ ...ses, headers, body }), 403)
    const other = post({ ...resend, host: 'another.example' })
    await assert.rejects(other, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    assert.equal((await inbox.refresh()).messageCount, 2)
  })
})
