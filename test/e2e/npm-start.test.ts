/**
 * `npm start` once everything is built: killed parts are restarted, Ctrl-C asks if a program would end, and the link is
 * printed when it works. fresh-clone.test.ts covers npm and the build.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Pty } from '../../vm-agent/pty/pty.ts';
import { spawnPty } from '../../vm-agent/pty/spawn-pty.ts';
import { ApiClient } from '../support/api-client.ts';
import { plainEnvironment } from '../support/holdfast-command.ts';
import { agentOf } from '../support/kept-agent.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { familyOf, type Process } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { sharedBrowser } from '../support/shared-browser.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';

/** As built: from source the start script and its agent would load TypeScript first, at every start. */
const START = fileURLToPath(new URL('../../dist/start/start.js', import.meta.url));
const SIZE = { cols: 400, rows: 60 };

const runs: Run[] = [];
const endRuns = async () => {
  for (const run of runs.splice(0)) await run.end();
};

/** The start script in a terminal, or with a pipe as its standard input. */
class Run {
  readonly screen = new TerminalScreen(SIZE);
  readonly ended: Promise<number | null>;
  readonly #dir = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
  readonly stateDir = join(this.#dir, 'state');
  readonly #pty: Pty;

  constructor(
    how: {
      readonly withoutTerminal?: boolean;
      readonly env?: Record<string, string>;
      /** The shell that runs it, as npm has one. */
      readonly below?: string;
      readonly args?: readonly string[];
    } = {},
  ) {
    runs.push(this);
    let end: (code: number | null) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    const script = how.below ?? (how.withoutTerminal ? 'exec "$@" </dev/null' : 'exec "$@"');
    const command = ['/bin/sh', '-c', script, 'sh', process.execPath, START, ...(how.args ?? [])];
    const env = { PORT: '0', HOLDFAST_STATE_DIR: this.stateDir, SHELL: '/bin/sh', ...how.env };
    const [program = '', ...args] = command;
    this.#pty = spawnPty(
      { command: program, args, cwd: this.#dir, env: plainEnvironment(env), size: SIZE },
      {
        output: (bytes) => this.screen.write(new Uint8Array(bytes), () => {}),
        exited: ({ code }) => this.screen.write(new Uint8Array(0), () => end(code)),
      },
    );
  }

  get family(): Process[] {
    return familyOf(this.#pty.pid);
  }

  /** The relay is workerd; the keeper is the child that has terminals, and the shell that guards the two is neither. */
  part(name: 'relay' | 'keeper'): number {
    const children = this.family.filter(({ parent }) => parent === this.#pty.pid);
    const wanted = name === 'relay' ? /^workerd/ : /node|MainThread/;
    const pid = children.find((child) => wanted.test(child.name))?.pid;
    if (pid === undefined) throw new Error(`no ${name} among ${JSON.stringify(children)}`);
    return pid;
  }

  async link(): Promise<string> {
    const [, link = ''] = await this.screen.sees(/^Open (\S+)$/m);
    return link;
  }

  presses(keys: string): void {
    this.#pty.write(new TextEncoder().encode(keys), () => {});
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.#pty.pid, name);
  }

  async end(): Promise<void> {
    const { family } = this;
    this.#pty.signal('SIGKILL');
    await gone(family);
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** One run and one page, in which each part is killed in turn, and then the whole. */
describe('npm start', () => {
  let run: Run;
  let page: Page;
  beforeAll(async () => {
    run = new Run();
    page = await (await sharedBrowser()).newPage();
    return async () => {
      await page.close();
      await endRuns();
    };
  });

  it('[Y2] a script that uses the link at once gets a shell', async () => {
    const link = await run.link();
    expect((await ApiClient.withLink(link).ask('POST', '/sessions', {})).status).toBe(201);
    expect(run.screen.text).toMatch(
      /Starting the relay …\nStarting the agent …\nReady after [\d.]+ s\.\nOpen /,
    );
    await page.goto(readable(link));
    await terminalOf(page).prompts();
  });

  it('[Y5] restarts a killed relay at the same address, and the page reconnects to the same shell', async () => {
    await terminalOf(page).types('x=kept; echo relay-$((6*7))\n');
    await terminalOf(page).shows(/^relay-42$/m);
    process.kill(run.part('relay'), 'SIGKILL');
    await run.screen.sees(/^The relay has ended \(SIGKILL\) and is restarted\. Shells keep running/m);
    await terminalOf(page).types('echo $x-after-relay\n');
    await terminalOf(page).shows(/^kept-after-relay$/m);
  });

  it.skipIf(!hasProc)(
    `[Y5] says that a killed agent is restarted, and the page reconnects to the same shell${unlessProc}`,
    async () => {
      await terminalOf(page).types('x=kept; echo agent-$((6*7))\n');
      await terminalOf(page).shows(/^agent-42$/m);
      process.kill(agentOf(run.part('keeper')) as number, 'SIGKILL');
      await run.screen.sees(/^The agent has ended \(SIGKILL\) and is restarted\. Its shells keep running/m);
      await terminalOf(page).types('echo $x-after-agent\n');
      await terminalOf(page).shows(/^kept-after-agent$/m);
    },
  );

  it('[Y5] [F28] restarts a killed keeper, and the page gets a new shell', async () => {
    const killed = run.part('keeper');
    process.kill(killed, 'SIGKILL');
    await run.screen.sees(
      /^The agent's keeper has ended \(SIGKILL\) and is restarted\. The shells have ended with it/m,
    );
    await terminalOf(page).shows(/agent restarted · new shell below ─+\n[#$]$/m);
    await terminalOf(page).types('echo $((6*7))-again\n');
    await terminalOf(page).shows(/^42-again$/m);
    expect(run.part('keeper')).not.toBe(killed);
  });

  it('prints one clear sentence and exits with 1 if its state is in use', async () => {
    const second = new Run({ env: { HOLDFAST_STATE_DIR: run.stateDir } });
    expect(await second.ended).toBe(1);
    expect(second.screen.text).toMatch(/^The state directory .* is in use by the process \d+.*$/);
  });

  it('[Y5] leaves no process when the start script is killed', async () => {
    const { family } = run;
    run.signal('SIGKILL');
    await gone(family);
  });
});

describe('npm start', () => {
  afterEach(endRuns);

  it('[Y2] prints one clear sentence and exits with 1 if the shell does not exist, and starts nothing', async () => {
    const run = new Run({ env: { SHELL: '/bin/no-shell' } });
    expect(await run.ended).toBe(1);
    expect(run.screen.text).toMatch(/^No shell can start here\. .*"\/bin\/no-shell" does not exist.*$/);
  });

  it.each([
    [{ HOLDFAST_STATE_DIR: '/dev/null' }, [], /^The state directory \/dev\/null cannot be used.*$/],
    [{ HOST: '203.0.113.7' }, [], /^HOST is 203\.0\.113\.7, which is not an address of this machine.*$/],
    [{ PORT: 'http' }, [], /^PORT is "http", which is not a port number.*$/],
    [{}, ['--port', '8899'], /^unknown argument "--port"; PORT, HOST .*, for example PORT=8788 npm start$/],
  ])(
    'prints one clear sentence and exits with 1 for %j and the arguments %j',
    async (env, args, sentence) => {
      const run = new Run({ env, args });
      expect(await run.ended).toBe(1);
      expect(run.screen.text).toMatch(sentence);
    },
  );

  it('[Y5] stops everything with exit code 1 and a line that says so if the keeper keeps dying', async () => {
    const run = new Run();
    await run.link();
    const { family } = run;
    for (let ends = 1; ends <= 6; ends++) {
      process.kill(run.part('keeper'), 'SIGKILL');
      if (ends === 6) break;
      // Killed again as soon as it exists: it need not be connected to count.
      const lines = new RegExp(`(?:^The agent's keeper has ended[^]*){${ends}}`, 'm');
      await run.screen.sees(lines);
      await expect.poll(() => tryPart(run)).toBe(true);
    }
    expect(await run.ended).toBe(1);
    expect(run.screen.text).toMatch(
      /^The agent's keeper has ended \(SIGKILL\), 6 times within 60 s; it is not restarted again\. Stopping\.$/m,
    );
    await gone(family);
  });

  it('[Y5] leaves no process when npm is ended by a signal that it does not pass on', async () => {
    // In a separate process session, so that no terminal informs it that its parent is gone.
    const run = new Run({ below: 'setsid "$@" </dev/null & wait', env: { npm_lifecycle_event: 'start' } });
    await run.link();
    const { family } = run;
    run.signal('SIGKILL');
    await gone(family);
  });
});

function tryPart(run: Run): boolean {
  try {
    return run.part('keeper') > 0;
  } catch {
    return false;
  }
}

describe.skipIf(!hasProc)(`Ctrl-C in the terminal of npm start${unlessProc}`, () => {
  afterEach(endRuns);

  /** A shell that waits for input. */
  const idle = async (run: Run) => {
    const api = ApiClient.withLink(await run.link());
    const { id } = await api.create();
    await expect.poll(() => api.text(id)).toMatch(/[#$]$/);
    return { api, id };
  };
  const busy = async (run: Run) => {
    const { api, id } = await idle(run);
    await api.type(id, 'sleep 1000\n');
    await expect.poll(() => run.family.map(({ name }) => name)).toContain('sleep');
  };

  it('[Y5] names the programs that would end, and a second one stops everything', async () => {
    const run = new Run();
    await busy(run);
    const { family } = run;
    run.presses('\x03');
    await run.screen.sees(/^(\^C)?sleep is running in a terminal and would end\. Press Ctrl-C again/m);
    expect(run.family.map(({ name }) => name)).toContain('sleep');
    run.presses('\x03');
    expect(await run.ended).toBe(0);
    await gone(family);
    expect(run.screen.text, 'no line of JSON').not.toContain('{');
  });

  it('[Y5] stops everything at once while all shells are idle', async () => {
    const run = new Run();
    await idle(run);
    const { family } = run;
    run.presses('\x03');
    expect(await run.ended).toBe(0);
    await gone(family);
  });

  it('[Y5] SIGTERM stops everything at once, whatever is running', async () => {
    const run = new Run();
    await busy(run);
    const { family } = run;
    run.signal('SIGTERM');
    expect(await run.ended).toBe(0);
    await gone(family);
  });

  it('[Y5] SIGINT stops everything at once if standard input is not a terminal', async () => {
    const run = new Run({ withoutTerminal: true });
    await busy(run);
    const { family } = run;
    run.signal('SIGINT');
    expect(await run.ended).toBe(0);
    await gone(family);
  });
});
