/** Finds the address of a relay in what wrangler says about where the Worker is reached. Pure. */

const TARGETS_MAX = 100;
/** A host name has at most 253 characters; the rest is what wrangler says about it. */
const TARGET_MAX_CHARS = 600;
const HOST = String.raw`(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?`;

/** The best kind first: who has set up a domain wants to use it. */
const KINDS = [
  // `relay.example.com (custom domain - zone name: example.com)`, unless it is switched off.
  new RegExp(String.raw`^(${HOST}) \(custom domain[^)]*\)(?! \[disabled)`, 'i'),
  // `relay.example.com/* (zone name: example.com)`: every path, because cookies and the page live at the root.
  new RegExp(String.raw`^(?:https://)?(${HOST})/\*(?: \(zone [^)]*\))?$`, 'i'),
  // `https://holdfast.you.workers.dev`
  new RegExp(String.raw`^https://(${HOST}(?::\d{1,5})?)$`, 'i'),
];

/** Null if none of them is the address of a whole host. */
export function deployedAddress(targets: readonly string[]): URL | null {
  const read = targets.slice(0, TARGETS_MAX).filter(({ length }) => length <= TARGET_MAX_CHARS);
  for (const kind of KINDS) {
    for (const target of read) {
      const [, host] = kind.exec(target) ?? [];
      if (host !== undefined && URL.canParse(`https://${host}`)) return new URL(`https://${host}`);
    }
  }
  return null;
}
