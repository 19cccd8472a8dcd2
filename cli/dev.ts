/**
 * `npm run dev`: like `npm start`, but the relay runs in `wrangler dev`, which rebuilds and reloads it when a source
 * file changes. Sessions survive a reload as they survive a deploy.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { howItEnds } from '../node/child-process.ts';
import { endWithParent } from '../node/end-with-parent.ts';
import { StartError } from '../node/start-error.ts';
import { runWithNpm } from './local/npm-run.ts';
import type { Relay, RelayOptions } from './relay/relay.ts';

const wrangler = fileURLToPath(new URL('../node_modules/wrangler/bin/wrangler.js', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/** Wrangler sends telemetry unless told not to; development needs no network. */
const QUIET = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: 'true' };

async function startWranglerDev({
  host,
  port,
  stateDir,
  secret,
  settings,
  log,
}: RelayOptions): Promise<Relay> {
  // In a file that only its owner can read, because arguments and environments can be read through /proc.
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
    // Ctrl-C in our terminal reaches only this process, which ends the others in the right order.
    detached: true,
  });
  const url = new URL(`http://${host}:${port}`);
  const ended = howItEnds(child);
  void ended.then(endWithParent(child));
  await ready(child, ended, log);
  return { url, pid: child.pid ?? -1, ended, stop: () => stop(child, ended) };
}

/** Waits until Wrangler reports that it listens. Its output is passed on, before and after. */
async function ready(
  child: ChildProcess,
  ended: Promise<string>,
  log?: (line: string) => void,
): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => {
        log?.(text.trimEnd());
        said = (said + text).slice(-1000);
        if (said.includes('Ready on')) resolve();
      });
    }
    void ended.then((how) => reject(new StartError(`wrangler dev has ended (${how}) before it was ready.`)));
  });
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

await runWithNpm(startWranglerDev);
