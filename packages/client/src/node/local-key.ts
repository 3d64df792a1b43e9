import type { CallOptions } from '../connection.ts'
import { MayflyError } from '../errors.ts'
import type { Requester } from '../request.ts'

/** Where the key of the local account is, and the key; each null where there is none. */
type LocalKey = { readonly file: string | null; readonly apiKey: string | null }

/** Asks a service on this machine for the file with the key of its local account, and reads it. */
export async function readLocalKey(
  service: Requester,
  { signal }: CallOptions = {},
): Promise<LocalKey> {
  const { localKeyFile: file } = await service.json<{ readonly localKeyFile: string | null }>({
    method: 'GET',
    path: '/v1/service',
    signal,
  })
  if (file === null) return { file, apiKey: null }
  // Not by an import: bundlers for browsers refuse modules of Node.
  const { promises } = process.getBuiltinModule('node:fs')
  // Another user's service, or one in a container, has a file that cannot be read here.
  const text = await promises.readFile(file, 'utf8').catch(() => '')
  // Nothing else of this machine is sent to the service, whatever file it names.
  const [apiKey = null] = /^mf_(?:live|test)_[\w-]+$/.exec(text.trim()) ?? []
  return { file, apiKey }
}

/** The key of the local account; throws when there is none. */
export async function findLocalKey(service: Requester, missing: string): Promise<string> {
  const { file, apiKey } = await readLocalKey(service)
  if (apiKey !== null) return apiKey
  const reason =
    file === null
      ? 'The service has no account for this machine.'
      : `The key of this machine is not in ${file}, or cannot be read: is the service in a container, or of another user?`
  throw new MayflyError(`${missing} ${reason}`)
}
