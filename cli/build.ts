/**
 * Builds what the relay serves and runs: the page into dist/web, the Worker into dist/worker. One bundle,
 * which `npm start`, the tests, `wrangler dev` and `wrangler deploy` all use.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build as viteBuild } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The version of package.json, which the page and `/health` show. */
export async function productVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}

export async function buildPage(): Promise<void> {
  await viteBuild({
    configFile: false,
    root: `${root}web`,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(await productVersion()) },
    build: {
      outDir: `${root}dist/web`,
      emptyOutDir: true,
      target: 'es2022',
      // The icon and fonts stay files: our Content-Security-Policy takes no inline data but images.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // xterm and React are one page's worth of script; there is nothing to load later.
      chunkSizeWarningLimit: 1000,
    },
  });
}

export async function buildWorker(): Promise<void> {
  await viteBuild({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: { __VERSION__: JSON.stringify(await productVersion()) },
    ssr: { target: 'webworker', noExternal: true },
    build: {
      ssr: 'worker/index.ts',
      outDir: `${root}dist/worker`,
      emptyOutDir: true,
      target: 'es2024',
      minify: false,
      rolldownOptions: {
        external: ['cloudflare:workers'],
        output: { entryFileNames: 'index.js', codeSplitting: false },
      },
    },
  });
}

if (import.meta.main) {
  console.error('Building the page …');
  await buildPage();
  console.error('Building the relay …');
  await buildWorker();
}
