/**
 * Builds what is served, deployed and installed: the page into dist/web, the Worker into dist/worker, the
 * agent into dist/agent, the command into dist/cli. The Worker is one bundle, which `npm start`, the tests, `wrangler dev` and `wrangler
 * deploy` all use.
 */
import { fileURLToPath } from 'node:url';
import { build as viteBuild } from 'vite';
import { productVersion } from './version.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function buildPage(): Promise<void> {
  // Whatever environment builds it, a test run included: what is tested is what is deployed.
  const { NODE_ENV = '' } = process.env;
  process.env.NODE_ENV = 'production';
  try {
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
        // xterm and React are most of it, and needed at once; what is not is loaded when it is used.
        chunkSizeWarningLimit: 1000,
        rolldownOptions: { input: [`${root}web/index.html`, `${root}web/status.html`] },
      },
    });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}

/** What every bundle has in common that is no page. */
async function withoutPage() {
  return {
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: { __VERSION__: JSON.stringify(await productVersion()) },
  } as const;
}

export async function buildWorker(): Promise<void> {
  await viteBuild({
    ...(await withoutPage()),
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
export function buildAgent(): Promise<void> {
  return buildForNode('agent', { main: 'vm-agent/main.ts' }, ['node-pty']);
}

/** The command, agent included. Miniflare stays outside too: it brings workerd, which only a relay needs. */
export function buildCli(): Promise<void> {
  return buildForNode('cli', { holdfast: 'cli/holdfast.ts' }, ['node-pty', 'miniflare']);
}

async function buildForNode(name: string, input: Record<string, string>, external: string[]): Promise<void> {
  await viteBuild({
    ...(await withoutPage()),
    ssr: { target: 'node', noExternal: true, external },
    build: {
      ssr: true,
      outDir: `${root}dist/${name}`,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: { ...input, thread: 'vm-agent/screen/thread.ts' },
        external: ['bufferutil', 'utf-8-validate'],
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  page: buildPage,
  relay: buildWorker,
  agent: buildAgent,
  command: buildCli,
};

// Everything, or the parts that are named: `wrangler dev` rebuilds on every change, and needs two of them.
if (import.meta.main) {
  const wanted = process.argv.slice(2);
  for (const [part, build] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(part)) continue;
    console.error(`Building the ${part} …`);
    await build();
  }
}
