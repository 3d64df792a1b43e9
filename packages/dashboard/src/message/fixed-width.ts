/** Rules for narrow screens: such a mail fits by itself. */
const FITS = /@media[^{@]{0,200}max-(?:device-)?width/i

/** Widths in pixels: an attribute, or a property other than `max-width`. */
const WIDTHS = /(?:\swidth="|(?<!max-)\bwidth\s*:\s*)(\d{3,4})(?=px|")/gi

/** Wider is no mail that anybody reads. */
const WIDTH_MAX = 1_200

/** Room for the margins around a part of fixed width. */
const MARGINS = 16

/** The width that the document of a mail needs on any screen, in pixels; 0 when it fits itself. */
export function fixedWidthOf(document: string): number {
  if (FITS.test(document)) return 0
  const widths = [...document.matchAll(WIDTHS)].map(([, width]) => Number(width))
  const known = widths.filter((width) => width <= WIDTH_MAX)
  return known.length === 0 ? 0 : Math.max(...known) + MARGINS
}
