/** The version of package.json, shown by the page, `/health` and `holdfast --version`. */
import { readFile } from 'node:fs/promises';

declare const __VERSION__: string | undefined;

export async function productVersion(): Promise<string> {
  // Defined in the built command; a source checkout reads the file.
  if (typeof __VERSION__ !== 'undefined') return __VERSION__;
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}
