/**
 * Builds what is served, deployed and installed: the page into dist/web, the Worker into dist/worker, the agent into
 * dist/agent, the command into dist/cli. The Worker is one bundle, used by `npm start`, the tests, `wrangler dev` and
 * `wrangler deploy`. dist/static-files serves the page without Cloudflare.
 */
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build as viteBuild } from 'vite';
import { wranglerVersion } from '../cli/deploy/wrangler-version.ts';
import { productVersion } from '../node/product-version.ts';
import { BuildRecord } from './changed-since-build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export async function buildPage(): Promise<void> {
  // Always a production build, even in a test run: what is tested is what is deployed.
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
        // The icon and fonts stay files: our Content-Security-Policy allows no inline data except images.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        // Most of it is xterm and React, which are needed at once; the rest is loaded on demand.
        chunkSizeWarningLimit: 1000,
        rolldownOptions: { input: [`${root}web/index.html`, `${root}web/status.html`] },
      },
    });
    await buildServiceWorker();
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}

/** One classic script beside the page: browsers ask for it by its name, and it may load nothing. */
async function buildServiceWorker(): Promise<void> {
  await viteBuild({
    ...(await withoutPage()),
    build: {
      outDir: `${root}dist/web`,
      emptyOutDir: false,
      target: 'es2022',
      rolldownOptions: {
        input: `${root}web/ui/push/service-worker.ts`,
        output: { entryFileNames: 'service-worker.js', format: 'iife', codeSplitting: false },
      },
    },
  });
}

/** Options shared by all bundles except the page. */
async function withoutPage() {
  return {
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: {
      __VERSION__: JSON.stringify(await productVersion()),
      __WRANGLER_VERSION__: JSON.stringify(await wranglerVersion()),
    },
  } as const;
}

export async function buildWorker(): Promise<void> {
  await buildForWorkerd('worker/index.ts', 'dist/worker');
  await buildForWorkerd('worker/static-files/index.ts', 'dist/static-files');
}

async function buildForWorkerd(entry: string, outDir: string): Promise<void> {
  await viteBuild({
    ...(await withoutPage()),
    ssr: { target: 'webworker', noExternal: true },
    build: {
      ssr: entry,
      outDir: `${root}${outDir}`,
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
 * Builds the agent as plain files for Node 20 or later: the agent itself, its keeper, the thread of its screens, and
 * what they share. Beside them are the scripts for shells. Only node-pty is not bundled, because of its native part.
 */
export async function buildAgent(): Promise<void> {
  const input = { main: AGENT, keeper: 'vm-agent/keeper/main.ts', thread: THREAD };
  await buildForNode('agent', input, ['node-pty']);
  copyScripts('agent');
}

/**
 * The command, including the agent. The agent's own entry, for its keeper, shares all code with the command. workerd is
 * not bundled either: it is a binary, and only a relay needs it.
 */
export async function buildCli(): Promise<void> {
  const input = { holdfast: 'cli/holdfast.ts', 'agent/main': AGENT, thread: THREAD };
  await buildForNode('cli', input, ['node-pty', 'workerd']);
  copyScripts('cli');
}

/** Where the agent looks for them, from its own file. */
function copyScripts(name: string): void {
  cpSync(`${root}vm-agent/shell/scripts`, `${root}dist/${name}/scripts`, { recursive: true });
}

/** What `npm start` runs. It is small, because it stays in memory next to the relay and the agent. */
export function buildStart(): Promise<void> {
  return buildForNode('start', { start: 'cli/start.ts' }, ['workerd']);
}

const AGENT = 'vm-agent/main.ts';
const THREAD = 'vm-agent/screen/thread.ts';

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
        input,
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
  start: buildStart,
};

/** `node tools/build.ts [--if-changed] [part …]`: builds everything, or the named parts. */
async function main(args: readonly string[]): Promise<void> {
  const wanted = args.filter((arg) => !arg.startsWith('--'));
  for (const [part, build] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(part)) continue;
    const record = new BuildRecord(part);
    if (args.includes('--if-changed') && record.isCurrent) continue;
    console.error(`Building the ${part === 'start' ? 'start script' : part} …`);
    record.forget();
    await build();
    record.remember();
  }
}

if (import.meta.main) await main(process.argv.slice(2));
