/** Mails counted in parts of a window, so that it slides. Null until there are earlier parts. */
export const floodParts = (): readonly string[] => [
  'alter table inbox add column flood_earlier text',
]
