/**
 * The agent's token comes from a file, which can be replaced while the agent runs, does not show in `ps`, and is
 * not inherited. It keeps other users out; programs of the agent's own user, its shells among them, can read it.
 */
import { readFileSync, statSync } from 'node:fs';

export type TokenReading =
  | { readonly ok: true; readonly token: string }
  | { readonly ok: false; readonly why: string };

export function readTokenFile(path: string): TokenReading {
  try {
    const mode = statSync(path).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      return no(
        `The token file ${path} may be read by others (mode ${mode.toString(8)}); run chmod 600 on it.`,
      );
    }
    const token = readFileSync(path, 'utf8').trim();
    if (token === '') return no(`The token file ${path} is empty.`);
    const flaw = tokenFlaw(token);
    return flaw === null ? { ok: true, token } : no(`The token file ${path} ${flaw}.`);
  } catch (error) {
    return no(`The token file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** What keeps a token from being sent as a header, and what to do; null when nothing does. Never says what is in it. */
export function tokenFlaw(token: string): string | null {
  if (/[\r\n]/.test(token)) return 'has more than one line; keep only the token, on one line';
  // A token is three parts in base64url; a word processor makes dashes and quotes of its own.
  if (!/^[\x21-\x7e]*$/.test(token))
    return 'has a space or a character that no token has; copy the token again';
  return null;
}

function no(why: string): TokenReading {
  return { ok: false, why };
}
