/** The terms of a query; the first may be tried as it stands. */
const TERMS: readonly (readonly [terms: string, text: string])[] = [
  ['code "your code"', 'The words in the sender, subject, recipients, file names or text'],
  ['from: to: cc: reply-to:', 'A part of that address or name'],
  ['subject:receipt', 'A part of the subject'],
  ['has:otp has:link has:attachment', 'What the mail has'],
  ['is:unread is:read', 'Whether it was read'],
  ['otp:481516', 'A one-time code'],
  ['link:app.example.com', 'A link to this host, or to one below it'],
  ['after:2026-11-15 before:…', 'When it was received'],
  ['larger:100K smaller:2M', 'Its size'],
  ['in:signup@example.com', 'The inbox, by its address or id'],
  ['header:List-Id=news', 'A header and what it contains'],
  ['-from:acme', 'A minus negates a term'],
]

/** The grammar of queries. */
export function SearchHelp() {
  return (
    <div class="search-help">
      <h3>How to search</h3>
      <p class="muted">All terms must hold. Upper and lower case make no difference.</p>
      <dl>
        {TERMS.map(([terms, text]) => (
          <div key={terms}>
            <dt>
              {terms.split(/ (?=[\w-]+:|")/).map((term) => (
                <code key={term}>{term}</code>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
