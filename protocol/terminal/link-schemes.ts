/** URL schemes that may be shown as links. Others could run something when a person clicks on them. */
export const LINK_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
