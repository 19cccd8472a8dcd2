/** The version of wrangler that we test with. */
import { readFile } from 'node:fs/promises';

declare const __WRANGLER_VERSION__: string | undefined;

export async function wranglerVersion(): Promise<string> {
  // Defined in the built command, whose package.json does not name wrangler; a source checkout reads the file.
  if (typeof __WRANGLER_VERSION__ !== 'undefined') return __WRANGLER_VERSION__;
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  return manifest.devDependencies.wrangler;
}
