/**
 * The README's commands, as a new user runs them: a fresh copy of the tree, an empty home, then `npm start` or `npm run
 * dev` in a terminal, and the printed link in a real browser. `npm ci` and `npm test` come before: running this test
 * implies both.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pty } from '../../vm-agent/pty/pty.ts';
import { spawnPty } from '../../vm-agent/pty/spawn-pty.ts';
import { ApiClient } from '../support/api-client.ts';
import { freePort } from '../support/free-port.ts';
import { listeningSockets } from '../support/listening-sockets.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { familyOf } from '../support/process-table.ts';
import { gone, machineNode } from '../support/processes.ts';
import { sharedBrowser } from '../support/shared-browser.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { copyTree, ROOT } from './copied-tree.ts';

const WINDOW = fileURLToPath(new URL('../support/terminal-window.ts', import.meta.url));

const runs: Run[] = [];
const windows: ChildProcess[] = [];
let clone: string;
let home: string;
let port: number;
let browser: Browser;

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'holdfast-clone-'));
  home = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
  copyTree(clone);
  port = await freePort();
  browser = await sharedBrowser();
});

afterAll(async () => {
  for (const run of runs) run.pty.signal('SIGKILL');
  for (const window of windows) window.kill('SIGKILL');
  for (const dir of [clone, home]) rmSync(dir, { recursive: true, force: true });
});

/** A new user's environment: an empty home, and nothing that npm and vitest added to ours. */
function environment(): Record<string, string> {
  const own = (process.env.PATH ?? '').split(':').filter((dir) => !dir.includes('node_modules'));
  // npm's own remarks (a newer version, an unknown setting of this machine) are not part of the test.
  const quiet = {
    npm_config_loglevel: 'error',
    npm_config_progress: 'false',
    npm_config_update_notifier: 'false',
    // npm's earlier downloads are reused; everything else that it would find in a home is absent.
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    ...(process.env.npm_config_registry === undefined
      ? {}
      : { npm_config_registry: process.env.npm_config_registry }),
  };
  return {
    ...quiet,
    PATH: own.join(':'),
    HOME: home,
    SHELL: '/bin/sh',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
}

function npmPath(): string {
  return execFileSync('which', ['npm'], { env: environment() }).toString().trim();
}

/** An npm script in its own terminal, as in a window on a desktop. */
class Run {
  readonly pty: Pty;
  readonly ended: Promise<number | null>;
  #text = '';
  #wake: () => void = () => {};

  constructor(script: 'start' | 'dev') {
    runs.push(this);
    let end: (code: number | null) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    const spec = {
      command: npmPath(),
      args: ['run', script],
      cwd: clone,
      env: { ...environment(), PORT: `${port}` },
      size: { cols: 400, rows: 50 },
    };
    this.pty = spawnPty(spec, {
      output: (bytes) => {
        this.#text += new TextDecoder().decode(bytes);
        this.#wake();
      },
      exited: ({ code }) => end(code),
    });
  }

  get text(): string {
    return this.#text;
  }

  async link(): Promise<string> {
    for (;;) {
      const [, link] = /^Open (\S+)\r?$/m.exec(this.#text) ?? [];
      if (link !== undefined) return link;
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
        this.ended.then((code) => {
          throw new Error(`ended with exit code ${code}: ${this.#text}`);
        }),
      ]);
    }
  }

  presses(keys: string): void {
    this.pty.write(new TextEncoder().encode(keys), () => {});
  }
}

describe('npm start', () => {
  let first: Run;
  let link: string;

  it('prints what it does, then one line with a link to a live shell', async () => {
    first = new Run('start');
    link = await first.link();
    expect(link).toMatch(new RegExp(`^http://127.0.0.1:${port}/w/local#token=[\\w.-]+$`));
    for (const progress of [
      'Building the page',
      'Building the relay',
      'Building the agent',
      'Starting the relay',
      'Starting the agent',
      'Ready after',
    ]) {
      expect(first.text).toContain(progress);
    }
    expect(first.text.match(/^Open /gm)).toHaveLength(1);
  });

  it('[S2] opens a shell that computes 42 in a real browser, and a reload shows it again', async () => {
    const page = await browser.newPage();
    await page.goto(readable(link));
    const terminal = terminalOf(page);
    await terminal.types('echo $((6*7))\n');
    await terminal.shows(/^42$/m);
    expect(page.url(), 'the token does not stay in the address').toBe(
      `http://127.0.0.1:${port}/w/local?renderer=dom`,
    );
    await page.reload();
    await terminal.shows(/^42$/m);
    await terminal.types('echo again-$((6*7))\n');
    await terminal.shows(/^again-42$/m);
    await page.close();
  });

  it('prints a link that works in a second browser too, and shows the same shell', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(readable(link));
    await terminalOf(page).shows(/^again-42$/m);
    await context.close();
  });

  it('keeps its secrets in files that only their owner can read', () => {
    for (const file of ['relay-secret', 'agent-token']) {
      expect(statSync(join(clone, '.holdfast', file)).mode & 0o777, file).toBe(0o600);
    }
    expect(
      execFileSync('git', ['check-ignore', '.holdfast/relay-secret'], { cwd: ROOT }).toString(),
    ).toContain('.holdfast');
  });

  it.skipIf(!hasProc)(`[SEC14] [X1] listens on one socket, that of the relay${unlessProc}`, () => {
    expect(listeningSockets(first.pty.pid)).toEqual([`127.0.0.1:${port}`]);
  });

  it('prints one clear sentence and exits with 1 if the port is in use', async () => {
    const second = new Run('start');
    expect(await second.ended).toBe(1);
    const sentences = second.text.split(/\r?\n/).filter((line) => line !== '' && !/^(>|npm )/.test(line));
    expect(sentences).toEqual([
      `Port ${port} on 127.0.0.1 is in use by another program; set PORT to another, for example PORT=${port + 1} npm start.`,
    ]);
  });

  it('prints one clear sentence on an older Node without ours installed', () => {
    const old = machineNode();
    if (Number(execFileSync(old, ['-p', 'process.versions.node.split(".")[0]']).toString()) >= 22) return;
    const { status, stderr } = spawnSync(old, ['cli/start.mjs'], {
      cwd: clone,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Holdfast is developed on Node 24, and this is .*\n$/);
  });

  it.skipIf(!hasProc)(
    `[Y5] asks once on Ctrl-C, which npm passes on, while a program is running${unlessProc}`,
    async () => {
      const api = ApiClient.withLink(link);
      const { id } = await api.create();
      await api.type(id, 'sleep 1000\n');
      await expect.poll(() => familyOf(first.pty.pid).map(({ name }) => name)).toContain('sleep');
      first.presses('\x03');
      await expect.poll(() => first.text).toMatch(/sleep is running in a terminal and would end/);
      await api.type(id, '\x03');
      await expect.poll(() => familyOf(first.pty.pid).map(({ name }) => name)).not.toContain('sleep');
    },
  );

  it('stops every process it started on Ctrl-C', async () => {
    const family = familyOf(first.pty.pid);
    const names = family.map(({ name }) => name).join(' ');
    expect(names, 'relay, agent and shell are among them').toMatch(/workerd.*sh|sh.*workerd/);
    first.presses('\x03');
    await gone(family);
    expect(first.text, 'no line of JSON').not.toMatch(/^\{/m);
  });

  it('reuses its state at the next start: the old link still works; closing the terminal stops everything', async () => {
    const window = spawn(process.execPath, [WINDOW, npmPath(), 'run', 'start'], {
      cwd: clone,
      env: { ...environment(), PORT: `${port}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    windows.push(window);
    for await (const line of createInterface(window.stdout)) if (/^Open /.test(line)) break;
    const api = ApiClient.withLink(link);
    const { id } = await api.create();
    await api.type(id, 'sleep 1000\n');
    const family = () => familyOf(window.pid ?? 0).filter(({ pid }) => pid !== window.pid);
    await expect.poll(() => family().map(({ name }) => name)).toContain('sleep');
    const all = family();
    window.kill('SIGKILL');
    await gone(all);
  });
});

describe('npm run dev', () => {
  it('[S5] runs everything in wrangler dev, and Ctrl-C stops it', async () => {
    const run = new Run('dev');
    const page = await browser.newPage();
    await page.goto(readable(await run.link()));
    const terminal = terminalOf(page);
    await terminal.types('echo dev-$((6*7))\n');
    await terminal.shows(/^dev-42$/m);
    await page.close();
    const family = familyOf(run.pty.pid);
    run.presses('\x03');
    await gone(family);
  });
});
