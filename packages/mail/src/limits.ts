/** Nesting of MIME parts: real mail stays under 10; each level reads every line once more. */
export const MIME_DEPTH_MAX = 20

/** MIME parts of one mail; further parts are in the raw mail only. */
export const MIME_PARTS_MAX = 200

/** Fields of one header; real mail stays under 150. */
export const HEADERS_MAX = 1_000

/** Bytes of one header. */
export const HEADER_BYTES_MAX = 256 * 1024

/** Addresses of one header field. */
export const ADDRESSES_MAX = 1_000

/** Attachments of one mail. */
export const ATTACHMENTS_MAX = 100

/**
 * Work on the archives of one mail, in bytes read and written; a file counts as a few hundred
 * bytes more. Each archive has its share by its size, whatever the others contain: `shared` by all
 * in equal parts, of which one gets `shareMax`, and `perByte`, or less when `total` does not
 * suffice for all. The beginnings of ordinary files take four to six for each byte of a zip.
 */
export const ARCHIVE_WORK = {
  shared: 3 * 1024 * 1024,
  shareMax: 1536 * 1024,
  perByte: 8,
  total: 64 * 1024 * 1024,
}

/** Links of one mail: far above any real mail, few enough to be checked one by one. */
export const LINKS_MAX = 500

/** Characters of a URL that browsers and servers accept. A longer one is left out. */
export const URL_CHARS_MAX = 8_192

/** Characters of a link's visible text; an anchor may contain a whole mail. */
export const LINK_TEXT_CHARS_MAX = 1_000

/** Characters of HTML that are read for text and links; mail clients truncate far earlier. */
export const HTML_CHARS_MAX = 2 * 1024 * 1024

/** Tags that are read of HTML: ten times those of a large newsletter. Each costs microseconds. */
export const HTML_TAGS_MAX = 50_000

/** Characters of text that are read from HTML, and searched for links in plain text. */
export const TEXT_CHARS_MAX = 256 * 1024

/** Characters of a text whose wrapped lines are joined; further lines stay as they were sent. */
export const FLOWED_CHARS_MAX = 256 * 1024

/** Nesting of HTML elements; browsers flatten deeper elements too. */
export const HTML_DEPTH_MAX = 512

/** Characters of all style sheets of a mail that are read. */
export const CSS_CHARS_MAX = 128 * 1024

/** Characters of a preview, which is one line in a list of messages. */
export const PREVIEW_CHARS_MAX = 140

/** Defects of one mail. */
export const DEFECTS_MAX = 50

/** Characters of HTML that are sanitised for showing; more makes a browser unresponsive. */
export const HTML_SAFE_CHARS_MAX = 1024 * 1024

/** Nesting of elements in sanitised HTML; deeper tags are removed, their text is kept. */
export const HTML_SAFE_DEPTH_MAX = 256

/** Terms of one search query; each reads the whole text of a mail. */
export const QUERY_TERMS_MAX = 20
