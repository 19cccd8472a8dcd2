/**
 * Builds what is served, deployed and installed: the page into dist/web, the Worker into dist/worker, the agent into
 * dist/agent, the command into dist/cli. The Worker is one bundle, which `npm start`, the tests, `wrangler dev` and
 * `wrangler deploy` all use. dist/static-files serves the page where there is no Cloudflare to do it.
 */
import { fileURLToPath } from 'node:url';
import { build as viteBuild } from 'vite';
import { productVersion } from '../node/product-version.ts';
import { BuildRecord } from './changed-since-build.ts';

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
 * The agent as two plain files for any Node from 20 on: itself, and the thread its screens live in. Of what it
 * needs only node-pty stays outside, for its native part.
 */
export function buildAgent(): Promise<void> {
  return buildForNode('agent', { main: 'vm-agent/main.ts', thread: THREAD }, ['node-pty']);
}

/** The command, agent included. workerd stays outside too: it is a binary, and only a relay needs it. */
export function buildCli(): Promise<void> {
  return buildForNode('cli', { holdfast: 'cli/holdfast.ts', thread: THREAD }, ['node-pty', 'workerd']);
}

/** What `npm start` runs: small, because it stays in memory beside the relay and the agent. */
export function buildStart(): Promise<void> {
  return buildForNode('start', { start: 'cli/start.ts' }, ['workerd']);
}

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

/** `node tools/build.ts [--if-changed] [part …]`: everything, or the parts that are named. */
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
