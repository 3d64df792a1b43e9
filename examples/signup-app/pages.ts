/** A page of the application. */
export function page(content: string): string {
  return `<!doctype html><meta charset="utf-8"><title>Example App</title><main>${content}</main>`
}

/** Asks for an email address. */
export function formPage(): string {
  return page(`<h1>Sign up</h1>
<form method="post" action="/signup">
  <label>Email <input name="email" type="email" required></label>
  <button>Sign up</button>
</form>`)
}

/** Asks for the code that was sent. */
export function codePage(email: string): string {
  const safe = email.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
  return page(`<h1>Check your mail</h1>
<form method="post" action="/verify">
  <input name="email" type="hidden" value="${safe}">
  <label>Code <input name="code" required></label>
  <button>Verify</button>
</form>`)
}
