/** Keys, which belong into a header: a caller may have put one into a URL. */
const KEY = /mf_(?:live|test)_[\w-]+/g

/** The token of a frame, which shows a mail for a minute. */
const FRAME_TOKEN = /^\/frame\/[^?]+/

/** The parameters with which a provider of external accounts sends a person back. */
const CALLBACK = /^(\/v1\/account\/connection\/callback)\?.*$/s

/** The URL of a request for the log, without what gives access to something. */
export function loggedUrl(url: string): string {
  return url.replace(KEY, 'mf_…').replace(FRAME_TOKEN, '/frame/…').replace(CALLBACK, '$1?…')
}
