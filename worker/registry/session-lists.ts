/** Builds JSON lists of sessions from texts that are already serialised (session-table.ts). */

/** A JSON object with the sessions in it. */
export function withSessions(object: object, texts: readonly string[], more: object = {}): string {
  const [before, after] = [JSON.stringify(object).slice(1, -1), JSON.stringify(more).slice(1, -1)];
  const list = `"sessions":[${texts.join(',')}]`;
  return `{${[before, list, after].filter((part) => part !== '').join(',')}}`;
}

/** Which sessions are listed as texts, and with what. */
export interface ListedTexts {
  readonly key?: string | null;
  /** The only session that is listed; all without it. */
  readonly only?: string | undefined;
  /** A field of JSON that is added to a session, and not stored; empty for none. */
  readonly field?: (session: string) => string;
}

/** A JSON object with another field at its end. */
export function withField(json: string, field = ''): string {
  return field === '' ? json : `${json.slice(0, -1)},${field}}`;
}
