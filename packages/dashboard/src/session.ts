// The session: who is signed in to this page.
//
//   starting  → signed-in    a key was stored, the address had the token of a sign-in link, or the
//                            service shows its catch-all inbox without a key
//   starting  → signed-out
//   signed-out → signed-in   by a link, a new account or a key
//   signed-in → signed-out   by the reader, or because the service refused the key

import { ApiError } from '@mayfly/client'
import {
  createInternalClient,
  type InternalClient,
  type MessageCalls,
  readService,
  signIn,
  signInWithoutKey,
} from '@mayfly/client/internal'
import { signal } from '@preact/signals'
import { errorText } from './error-text.ts'
import { navigate, route } from './route.ts'
import { showError } from './state/toasts.ts'

/** The signed-in account, and the client for its calls. */
export type Session =
  | { readonly state: 'starting' }
  | { readonly state: 'signed-out'; readonly reason: string | null }
  | { readonly state: 'signed-in'; readonly client: InternalClient; readonly apiKey: string }

/** The session of this page. */
export const session = signal<Session>({ state: 'starting' })

const STORAGE_NAME = 'mayfly.key'
const REFUSED =
  'The service does not accept this key: it is mistyped, was revoked or rotated, or its account is suspended.'

/** The URL of the service: the origin of the page. */
export const SERVICE = { baseUrl: location.origin }

/** Signs in with the token of the address or the stored key. */
export async function startSession(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) {
    // Before the call: neither the history nor a reload must try the token again.
    navigate({ page: 'inboxes' }, { replace: true })
    return openLink(token)
  }
  if (storedKey() === null && (await openWithoutKey())) return
  useStoredKey(null)
}

/** Opens the catch-all inbox of a service that shows it without a key; whether it does. */
async function openWithoutKey(): Promise<boolean> {
  try {
    const { catchAllInboxId } = await readService(SERVICE)
    if (catchAllInboxId === null) return false
    const { apiKey } = await signInWithoutKey(SERVICE)
    if (route.value.page === 'inboxes') {
      navigate({ page: 'inbox', inboxId: catchAllInboxId }, { replace: true })
    }
    enterKey(apiKey, { remember: false })
    return true
  } catch (error) {
    showError(error)
    return false
  }
}

function storedKey(): string | null {
  return sessionStorage.getItem(STORAGE_NAME) ?? localStorage.getItem(STORAGE_NAME)
}

/** Signs in with the stored key; without one, shows why the session ended. */
function useStoredKey(reason: string | null): void {
  const apiKey = storedKey()
  if (apiKey === null) session.value = { state: 'signed-out', reason }
  else {
    if (reason !== null) showError(new Error(reason))
    if (session.value.state !== 'signed-in') useKey(apiKey)
  }
}

/** A link that is opened in a tab of the dashboard only changes the fragment of its address. */
export function listenForLinks(): void {
  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#token=')) void startSession()
  })
}

async function openLink(token: string): Promise<void> {
  try {
    const { apiKey } = await signIn({ ...SERVICE, token })
    sessionStorage.setItem(STORAGE_NAME, apiKey)
    useKey(apiKey)
  } catch (error) {
    const isUsed = error instanceof ApiError && error.code === 'invalid_sign_in_token'
    const reason = isUsed
      ? 'This sign-in link was used before or is older than 10 minutes. The command “mayfly open” creates a new one.'
      : errorText(error).text
    useStoredKey(reason)
  }
}

/** Signs in with a typed or a new key. */
export function enterKey(apiKey: string, { remember }: { readonly remember: boolean }): void {
  forgetKey()
  const storage = remember ? localStorage : sessionStorage
  storage.setItem(STORAGE_NAME, apiKey)
  useKey(apiKey)
}

/** Continues with the secret that replaced the one in use. */
export function replaceKey(apiKey: string): void {
  enterKey(apiKey, { remember: isRemembered() })
}

/** Whether the key outlives this tab. */
export function isRemembered(): boolean {
  return localStorage.getItem(STORAGE_NAME) !== null
}

/** Keeps the key beyond this tab, or no longer. */
export function rememberKey(remember: boolean): void {
  if (session.value.state !== 'signed-in') return
  const { apiKey } = session.value
  forgetKey()
  const storage = remember ? localStorage : sessionStorage
  storage.setItem(STORAGE_NAME, apiKey)
  // A key that was typed in is no session, and does not expire.
  void signedInClient().internal.changeSession({ staySignedIn: remember }).catch(ignoreNoSession)
}

function ignoreNoSession(error: unknown): void {
  const isKey = error instanceof ApiError && error.code === 'session_not_found'
  if (!isKey) showError(error)
}

/** Ends the session, and forgets the key on this device. */
export function signOut(reason: string | null = null): void {
  if (session.value.state === 'signed-in' && reason === null) {
    void session.value.client.internal.signOut().catch(ignoreNoSession)
  }
  forgetKey()
  navigate({ page: 'inboxes' }, { replace: true })
  session.value = { state: 'signed-out', reason }
}

/** Ends the session because the service refused its key. */
function endRevoked(apiKey: string): void {
  // A call that was sent before the key was rotated says nothing about the new one.
  if (session.value.state === 'signed-in' && session.value.apiKey === apiKey) signOut(REFUSED)
}

/** The client of the session. Only signed-in pages call it. */
export function signedInClient(): InternalClient {
  if (session.value.state !== 'signed-in') throw new Error('nobody is signed in')
  return session.value.client
}

/** The messages of an inbox. */
export function messagesOf(inboxId: string): MessageCalls {
  return signedInClient().internal.messages(inboxId)
}

function useKey(apiKey: string): void {
  try {
    session.value = { state: 'signed-in', client: clientWith(apiKey), apiKey }
  } catch (error) {
    // The typed or stored text cannot be a key.
    signOut(errorText(error).text)
  }
}

function clientWith(apiKey: string): InternalClient {
  return createInternalClient({
    ...SERVICE,
    apiKey,
    fetch: async (input, init) => {
      // A closing page sends its pending deletions, and does not wait for the response.
      const response = await fetch(input, { ...init, keepalive: init?.method === 'DELETE' })
      if (response.status === 401) endRevoked(apiKey)
      return response
    },
  })
}

function forgetKey(): void {
  sessionStorage.removeItem(STORAGE_NAME)
  localStorage.removeItem(STORAGE_NAME)
}
