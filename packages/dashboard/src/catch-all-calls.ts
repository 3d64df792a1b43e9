// Calls of Mailpit's API, which only catch-all inboxes have.

import { session, signedInClient } from './session.ts'

/** The response of a link; its status is 0 when there was none. */
export type CheckedLink = {
  readonly URL: string
  readonly StatusCode: number
  readonly Status: string
}

/** Requests each link of a message, and returns how it responded. */
export async function checkLinks(inboxId: string, messageId: string) {
  const checked: unknown = await call(inboxId, `message/${messageId}/link-check?follow=true`)
  // The service's own response, of this version.
  return (checked as { readonly Links: readonly CheckedLink[] }).Links
}

/** Sends a mail with a code to a catch-all inbox. */
export async function sendTestMail(inboxId: string): Promise<void> {
  await call(inboxId, 'send', {
    From: { Name: 'Mayfly', Email: 'test@example.com' },
    To: [{ Email: 'anyone@example.com' }],
    Subject: 'Your verification code',
    Text: 'Your verification code is 481516. It expires in 10 minutes.',
    HTML: '<p>Your verification code is <b>481516</b>.</p><p>It expires in 10 minutes.</p>',
  })
}

async function call(inboxId: string, path: string, body?: object): Promise<unknown> {
  signedInClient()
  const key = session.value.state === 'signed-in' ? session.value.apiKey : ''
  const response = await fetch(`/api/v1/${path}`, {
    headers: { authorization: `Basic ${btoa(`${inboxId}:${key}`)}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}
