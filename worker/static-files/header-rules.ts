/**
 * Parses a `_headers` file, Cloudflare's format for extra headers of static files. A rule is a path, which may end in
 * `*`, followed by indented `Name: value` lines.
 */

interface HeaderRule {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export function parseHeaderRules(text: string): HeaderRule[] {
  const rules: { path: string; headers: [string, string][] }[] = [];
  for (const line of text.split('\n')) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const colon = content.indexOf(':');
    if (!/^\s/.test(line)) rules.push({ path: content, headers: [] });
    else if (colon > 0)
      rules.at(-1)?.headers.push([content.slice(0, colon).trim(), content.slice(colon + 1).trim()]);
  }
  return rules;
}

/** The headers of all matching rules; a later rule overrides an earlier one. */
export function headersFor(path: string, rules: readonly HeaderRule[]): Headers {
  const headers = new Headers();
  for (const rule of rules) {
    if (!matches(rule.path, path)) continue;
    for (const [name, value] of rule.headers) headers.set(name, value);
  }
  return headers;
}

function matches(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
