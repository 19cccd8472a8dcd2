/**
 * `npm run dev`: the same as `npm start`, with the relay in `wrangler dev`, which rebuilds and reloads it when
 * a source file changes. Sessions survive a reload like any other deploy.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runLocally } from './local-run.ts';
import { type Relay, type RelayOptions, requireFreePort } from './relay.ts';

const wrangler = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/** Wrangler calls home unless it is told not to; the development loop needs no network. */
const QUIET = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: 'true' };

async function startWranglerDev({
  host,
  port,
  stateDir,
  secret,
  settings,
  log,
}: RelayOptions): Promise<Relay> {
  await requireFreePort(host, port);
  // In a file of its owner's: arguments and environments can be read through /proc.
  const secrets = join(stateDir, 'dev.env');
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const lines = Object.entries({ RELAY_SECRET: secret, ...settings })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(secrets, lines.join(''), { mode: 0o600 });
  const args = ['dev', '--ip', host, '--port', `${port}`, '--persist-to', stateDir, '--env-file', secrets];
  const child = spawn(process.execPath, [wrangler, ...args, '--show-interactive-dev-session=false'], {
    cwd: root,
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = new URL(`http://${host}:${port}`);
  await ready(child, log);
  return { url, stop: () => stop(child) };
}

/** Wrangler says when it listens; until then, and after, its lines are passed on. */
async function ready(child: ChildProcess, log?: (line: string) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => {
        log?.(text.trimEnd());
        if (text.includes('Ready on')) resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`wrangler dev ended with exit code ${code}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

await runLocally(startWranglerDev);
