/** A person with a browser: follows links, fills the provider's forms, keeps cookies. */
export class Person {
  readonly #login: string
  readonly #cookies = new Map<string, string>()

  constructor(login: string) {
    this.#login = login
  }

  /** Signs in and agrees; the URL that the provider sends the browser back to. */
  async agree(authorizationUrl: string): Promise<string> {
    const { origin } = new URL(authorizationUrl)
    let answer = await this.#open(authorizationUrl)
    for (let step = 0; step < 10; step++) {
      const location = answer.headers.get('location')
      if (location !== null) {
        const next = new URL(location, origin)
        if (next.origin !== origin) return next.href
        answer = await this.#open(next.href)
        continue
      }
      const page = await answer.text()
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
      if (action === undefined) throw new Error(`no form on the page:\n${page}`)
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? ''
      answer = await this.#open(new URL(action, origin).href, {
        prompt,
        login: this.#login,
        password: 'anything',
      })
    }
    throw new Error('the provider goes round in circles')
  }

  async #open(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-login': this.#login,
      },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', ...value] = pair.split('=')
      this.#cookies.set(name, value.join('='))
    }
    return answer
  }
}
