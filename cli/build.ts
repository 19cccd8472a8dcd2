/**
 * Builds what is served, deployed and installed: the page into dist/web, the Worker into dist/worker, the
 * agent into dist/agent. The Worker is one bundle, which `npm start`, the tests, `wrangler dev` and `wrangler
 * deploy` all use.
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

/**
 * The agent as two plain files for any Node from 20 on: itself, and the thread its screens live in. Of what it
 * needs only node-pty stays outside, for its native part.
 */
export async function buildAgent(): Promise<void> {
  await viteBuild({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: { __VERSION__: JSON.stringify(await productVersion()) },
    ssr: { target: 'node', noExternal: true, external: ['node-pty'] },
    build: {
      ssr: true,
      outDir: `${root}dist/agent`,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: { main: 'vm-agent/main.ts', thread: 'vm-agent/screen/thread.ts' },
        external: ['bufferutil', 'utf-8-validate'],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}

if (import.meta.main) {
  console.error('Building the page …');
  await buildPage();
  console.error('Building the relay …');
  await buildWorker();
  console.error('Building the agent …');
  await buildAgent();
}
