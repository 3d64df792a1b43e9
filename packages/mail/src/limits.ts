/** MIME parts inside parts: real mail stays under 10; each level costs a look at every line. */
export const MIME_DEPTH_MAX = 20

/** MIME parts of one mail; what follows the last of them is left in the raw mail alone. */
export const MIME_PARTS_MAX = 200

/** Header fields read of one header block; real mail stays under 150. */
export const HEADERS_MAX = 1_000

/** Bytes of header fields read of one header block, with the same aim as `HEADERS_MAX`. */
export const HEADER_BYTES_MAX = 256 * 1024

/** Addresses kept of one header field: as many as the widest mailing anybody tests. */
export const ADDRESSES_MAX = 1_000

/** Attachments listed of one mail. */
export const ATTACHMENTS_MAX = 100

/** Links kept per message: far above any real mail, low enough that probing them harms nobody. */
export const LINKS_MAX = 500

/** Characters of a URL: what browsers and servers still take. A longer one is left out. */
export const URL_CHARS_MAX = 8_192

/** Characters kept of a link's visible text; an anchor may wrap a whole mail. */
export const LINK_TEXT_CHARS_MAX = 1_000

/** Characters of HTML that are read for text and links; mail clients clip far earlier. */
export const HTML_CHARS_MAX = 2 * 1024 * 1024

/** Characters of readable text taken from HTML, and searched for links and codes. */
export const TEXT_CHARS_MAX = 256 * 1024

/** Open elements while reading HTML; browsers flatten what is nested deeper than this. */
export const HTML_DEPTH_MAX = 512

/** Characters of style sheets that are read, over all `<style>` elements of a mail. */
export const CSS_CHARS_MAX = 128 * 1024

/** Characters of a preview: one line in a list of messages. */
export const PREVIEW_CHARS_MAX = 140

/** Defects listed of one mail: each is a different sentence, so few can ever come together. */
export const DEFECTS_MAX = 50

/** Characters of HTML that are made safe for showing; a browser chokes on more. */
export const HTML_SAFE_CHARS_MAX = 1024 * 1024

/** Depth of elements in HTML that is shown; tags nested deeper are left out, their text stays. */
export const HTML_SAFE_DEPTH_MAX = 256
