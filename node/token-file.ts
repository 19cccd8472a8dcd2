/**
 * Reads the agent's token from a file. A file can be replaced while the agent runs, does not show in `ps`, and is not
 * inherited. Its mode keeps other users out; programs of the agent's own user, including its shells, can read it.
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

/** Why a token cannot be sent as a header, and what to do; null if it can. Never reveals the token. */
export function tokenFlaw(token: string): string | null {
  if (/[\r\n]/.test(token)) return 'has more than one line; keep only the token, on one line';
  // A token is three parts in base64url; word processors replace dashes and quotes.
  if (!/^[\x21-\x7e]*$/.test(token))
    return 'has a space or a character that no token has; copy the token again';
  return null;
}

function no(why: string): TokenReading {
  return { ok: false, why };
}
