/** Builds JSON lists of sessions from texts that are already serialised (session-table.ts). */

/** A JSON object with the sessions in it. */
export function withSessions(object: object, texts: readonly string[], more: object = {}): string {
  const [before, after] = [JSON.stringify(object).slice(1, -1), JSON.stringify(more).slice(1, -1)];
  const list = `"sessions":[${texts.join(',')}]`;
  return `{${[before, list, after].filter((part) => part !== '').join(',')}}`;
}
