/** The format of the settings file. */

/**
 * `NAME=value` lines; `#` starts a comment line; values may be quoted. Node's `parseEnv` reads another format: it cuts
 * a value at any `#`, as in the path `/srv/a#b`, and ends a quoted value only at the next quote, lines below. In Node 20
 * it also loses the line after one that is not a setting, and before 20.12 it does not exist.
 */
export function parseEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    const [, name, value] = match ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, value.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return variables;
}
