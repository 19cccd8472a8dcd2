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
    return token === '' ? no(`The token file ${path} is empty.`) : { ok: true, token };
  } catch (error) {
    return no(`The token file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function no(why: string): TokenReading {
  return { ok: false, why };
}
