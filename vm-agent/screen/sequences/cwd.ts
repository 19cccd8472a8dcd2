/** Parses OSC 7, by which a shell reports its directory as a file URL. */
import { PATH_MAX_CHARS } from '../../../protocol/limits.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a path must not contain.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/;

/** The path, or null if it is not usable. The host is not checked, because containers report wrong ones. */
export function directoryOf(uri: string): string | null {
  const match = /^file:\/\/[^/]*(\/.*)$/.exec(uri);
  if (match?.[1] === undefined) return null;
  const path = decode(match[1]);
  return path === null || path.length > PATH_MAX_CHARS || CONTROLS.test(path) ? null : path;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
