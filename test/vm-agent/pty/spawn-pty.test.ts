/** Real shells in real terminals. Tests wait for printed output or for the end of a program. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { shellTask } from '../../../vm-agent/pty/foreground.ts';
import { processStat } from '../../../vm-agent/pty/process-session.ts';
import type { Exit, Pty, SpawnSpec } from '../../../vm-agent/pty/pty.ts';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-pty-'));
const opened: Session[] = [];

/** How many exits of each shape are watched; a thousand take about a minute. */
const EXITS = Number(process.env.HOLDFAST_EXITS ?? 16);

interface Session {
  readonly pty: Pty;
  /** Everything printed so far. */
  output(): Buffer;
  /** Resolves with everything printed so far, once it contains `text`. */
  prints(text: string): Promise<string>;
  readonly exit: Promise<Exit>;
  readonly hasExited: () => boolean;
}

interface Options extends Partial<SpawnSpec> {
  readonly onOutput?: (pty: Pty) => unknown;
}

/** Runs `script` in a new terminal. */
function run(script: string, { onOutput, ...overrides }: Options = {}): Session {
  // Joined on request: joining each chunk would copy a flood a thousand times.
  let pieces: Buffer[] = [];
  const output = (): Buffer => {
    if (pieces.length !== 1) pieces = [Buffer.concat(pieces)];
    return pieces[0] as Buffer;
  };
  let exited = false;
  let check = (): void => {};
  const ended = Promise.withResolvers<Exit>();
  const pty = spawnPty(
    {
      command: 'sh',
      args: ['-c', script],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      size: { cols: 80, rows: 24 },
      ...overrides,
    },
    {
      output: (bytes) => {
        if (exited) throw new Error('output after the exit');
        pieces.push(Buffer.from(bytes));
        check();
        onOutput?.(pty);
      },
      exited: (exit) => {
        if (exited) throw new Error('exited twice');
        exited = true;
        ended.resolve(exit);
      },
    },
  );
  const prints = (text: string): Promise<string> =>
    new Promise((resolve) => {
      check = () => {
        if (!output().includes(text)) return;
        check = () => {};
        resolve(output().toString());
      };
      check();
    });
  const session = { pty, output, prints, exit: ended.promise, hasExited: () => exited };
  opened.push(session);
  return session;
}

afterEach(async () => {
  for (const session of opened.splice(0)) {
    session.pty.resume();
    session.pty.signal('SIGKILL');
    await session.exit;
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Passes when `condition` holds, however many turns of the event loop that takes. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

/** R if a process runs or could, S if it waits, Z if it has ended but was not collected; else nothing. */
function stateOf(pid: number): string | undefined {
  try {
    return /^\d+ \(.*\) (.)/s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
}

const runs = (pid: number): boolean => !['Z', undefined].includes(stateOf(pid));

/** True once the program has been collected by its parent, this process. */
function collected(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));
const openFiles = (): number => readdirSync('/dev/fd').length;

describe('output and input', () => {
  it('deliver what the program prints', async () => {
    const { exit, output } = run('echo hello');
    await exit;
    expect(output().toString()).toBe('hello\r\n');
  });

  it('deliver every byte value unchanged', async () => {
    const { exit, output } = run(`stty -opost; exec cat ${file('bytes', EVERY_BYTE)}`);
    await exit;
    expect(output()).toEqual(EVERY_BYTE);
  });

  it('type every byte value unchanged', async () => {
    const { pty, exit, output, prints } = run('stty raw -echo; printf ready; exec head -c 256');
    await prints('ready');
    pty.write(EVERY_BYTE, () => {});
    await exit;
    expect(output().subarray('ready'.length)).toEqual(EVERY_BYTE);
  });

  it('echo what is typed', async () => {
    const { pty, exit, prints } = run('printf ready; read -r line; echo "got $line"');
    await prints('ready');
    pty.write(Buffer.from('hi\r'), () => {});
    expect(await prints('got')).toBe('readyhi\r\ngot hi\r\n');
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('erase a multi-byte character as a whole', async () => {
    const { pty, exit, prints } = run('printf ready; read -r line; printf %s "$line" | od -An -c');
    await prints('ready');
    pty.write(Buffer.from('aé\x7f\r'), () => {});
    await exit;
    expect(await prints('\n')).toMatch(/\n +a\r\n$/);
  });

  it('give the program only the environment and directory that are specified', async () => {
    const { exit, output } = run('pwd; exec env', { env: { PATH: '/usr/bin:/bin', COLOR: 'blue' } });
    await exit;
    const [cwd, ...variables] = output().toString().trimEnd().split('\r\n');
    expect(cwd).toBe(folder);
    expect(variables.sort()).toEqual(['COLOR=blue', 'PATH=/usr/bin:/bin', `PWD=${folder}`]);
  });

  it('pass arguments unchanged', async () => {
    const { exit, output } = run('', { args: ['-c', 'printf "[%s]" "$@"', 'sh', 'a b', '', '$HOME', "'"] });
    await exit;
    expect(output().toString()).toBe("[a b][][$HOME][']");
  });

  it('survive a moment in which no program has the terminal open', async () => {
    const { exit, output } = run('exec </dev/null >/dev/null 2>&1; sleep 0.1; echo back >/dev/tty; exit 5');
    expect(await exit).toEqual({ code: 5, signal: null });
    expect(output().toString()).toBe('back\r\n');
  });

  it('deliver at most one buffer per turn of the event loop, however fast the program prints', async () => {
    let sinceTurn = 0;
    let most = 0;
    let pieces = 0;
    run('exec yes 0123456789012345678901234567890123456789', {
      onOutput: () => {
        pieces++;
        most = Math.max(most, ++sinceTurn);
      },
    });
    while (pieces < 300) {
      await turn();
      sinceTurn = 0;
    }
    expect(most).toBe(1);
  });

  it('read a flood in large chunks while no time passes', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(0);
    let pieces = 0;
    const size = 4 * 1024 * 1024;
    const { exit, output } = run(`exec cat ${file('flood', Buffer.alloc(size, 'x'))}`, {
      onOutput: () => pieces++,
    });
    await exit;
    expect(output().length).toBe(size);
    expect(size / pieces).toBeGreaterThan(8 * 1024);
    vi.restoreAllMocks();
  });

  it('stop while paused, so that the program blocks, and continue where they stopped', async () => {
    const size = 300_000;
    const content = Buffer.alloc(size, 'abcdefghijklmnopqrstuvw');
    let moved = 0;
    const { exit, output } = run(`exec cat ${file('paused', content)}`, {
      onOutput: async (pty) => {
        pty.pause();
        const before = output().length;
        await turn();
        await turn();
        moved += output().length - before;
        pty.resume();
      },
    });
    await exit;
    expect(moved).toBe(0);
    expect(Buffer.compare(output(), content)).toBe(0);
  });
});

describe('size', () => {
  it('[R7] starts as requested', async () => {
    const { exit, output } = run('stty size', { size: { cols: 132, rows: 43 } });
    await exit;
    expect(output().toString()).toBe('43 132\r\n');
  });

  it('[R7] is announced to the program with SIGWINCH when it changes', async () => {
    const { pty, exit, prints } = run('trap "stty size; exit" WINCH; printf ready; sleep 1000 & wait');
    await prints('ready');
    pty.resize({ cols: 101, rows: 33 });
    expect(await prints('\n')).toBe('ready33 101\r\n');
    await exit;
  });

  it('[R7] is ignored once the program has ended', async () => {
    const { pty, exit } = run('exit 0');
    await exit;
    expect(() => pty.resize({ cols: 10, rows: 10 })).not.toThrow();
  });
});

describe('exit', () => {
  it.each([
    { script: 'exit 0', exit: { code: 0, signal: null } },
    { script: 'exit 7', exit: { code: 7, signal: null } },
    { script: 'exit 255', exit: { code: 255, signal: null } },
    { script: 'kill -TERM $$', exit: { code: null, signal: 'SIGTERM' } },
    { script: 'kill -KILL $$', exit: { code: null, signal: 'SIGKILL' } },
    { script: 'kill -HUP $$', exit: { code: null, signal: 'SIGHUP' } },
  ])('[P5] reports how "$script" ended', async ({ script, exit }) => {
    expect(await run(script).exit).toEqual(exit);
  });

  /** No two neighbours are the same, so a byte that is lost, duplicated or swapped is detected. */
  const content = (size: number): Buffer => Buffer.alloc(size, 'abcdefghijklmnopqrstuvw');

  async function printAndExit(
    size: number,
    during: (session: Session) => Promise<void> | void,
  ): Promise<boolean> {
    const session = run(`exec cat ${file(`tail-${size}`, content(size))}`);
    await during(session);
    const { code } = await session.exit;
    opened.pop();
    return code === 0 && Buffer.compare(session.output(), content(size)) === 0;
  }

  const BOUNDARIES = [4095, 4096, 4097, 8191, 8193, 65_535, 65_536, 65_537];
  const shapes: { name: string; sizes: number[]; during: (session: Session) => Promise<void> | void }[] = [
    { name: 'a few bytes', sizes: [1, 5], during: () => {} },
    { name: '20 KB at once', sizes: [20_000], during: () => {} },
    { name: 'sizes around those of the buffers', sizes: BOUNDARIES, during: () => {} },
    {
      name: 'into a paused terminal',
      sizes: [3000, 9000],
      during: async ({ pty, hasExited }) => {
        pty.pause();
        await until(() => collected(pty.pid));
        await turn();
        await turn();
        expect(hasExited()).toBe(false);
        pty.resume();
        // Not from inside resume(), which another session may call while its own bytes are being handed over.
        expect(hasExited()).toBe(false);
      },
    },
    {
      name: 'while the agent is busy',
      sizes: [3000, 9000],
      during: ({ pty }) => {
        while (!collected(pty.pid));
      },
    },
  ];

  it.each(shapes)(
    `[F18] [P5] loses no output of ${EXITS} programs that print and end: $name`,
    { timeout: 30_000 + EXITS * 500 },
    async ({ sizes, during }) => {
      let whole = 0;
      for (let round = 0; round < EXITS; round++) {
        if (await printAndExit(sizes[round % sizes.length] ?? 0, during)) whole++;
      }
      expect(whole).toBe(EXITS);
    },
  );

  it('[P5] is reported although a background job that outlives the program keeps printing', async () => {
    let job = 0;
    const script = '(trap "" HUP; exec yes) & echo "job $!."; read -r line; exit 3';
    const { pty, exit, prints } = run(script, {
      // Until the job has filled the terminal again: reading until it is empty would never end.
      onOutput: () => {
        for (const start = performance.now(); performance.now() < start + 5 || stateOf(job) === 'R'; );
      },
    });
    job = Number(/job (\d+)/.exec(await prints('.'))?.[1]);
    await prints('y\r\n');
    pty.write(Buffer.from('\r'), () => {});
    expect(await exit).toEqual({ code: 3, signal: null });
  });
});

describe('directory and foreground program', () => {
  /** An interactive shell with job control; typed lines are run, and `prints` reports their output. */
  const shell = (): Session =>
    run('', { args: ['-i'], env: { PATH: process.env.PATH ?? '', PS1: '> ', ENV: '' } });
  const type = ({ pty }: Session, line: string) => pty.write(Buffer.from(`${line}\r`), () => {});

  it.skipIf(!hasProc)(
    `[P3] reports the directory of the shell as the system knows it, also after it changed and once it was removed${unlessProc}`,
    async () => {
      const session = shell();
      await session.prints('> ');
      expect(session.pty.cwd()).toBe(folder);
      const gone = mkdtempSync(join(folder, 'gone-'));
      type(session, `cd ${gone} && echo moved-$((1+1))`);
      await session.prints('moved-2');
      expect(session.pty.cwd()).toBe(gone);
      rmSync(gone, { recursive: true });
      expect(session.pty.cwd()).toContain(gone);
      type(session, 'exit');
      await session.exit;
      expect(session.pty.cwd()).toBeNull();
    },
  );

  it.skipIf(!hasProc).each([
    { what: 'a program', line: 'sleep 1000', name: 'sleep' },
    { what: 'a script that a shell runs', line: 'sh -e ./job.sh', name: 'job.sh' },
    { what: 'an executable script', line: './job.sh', name: 'job.sh' },
    { what: 'a command that a shell runs', line: 'sh -c "sleep 1000; true"', name: 'sh -c' },
    { what: 'the rest of a pipeline', line: 'true | sleep 1000', name: 'sleep' },
  ])(`[P3] names the program in the foreground: $what${unlessProc}`, async ({ line, name }) => {
    chmodSync(file('job.sh', '#!/bin/sh\nsleep 1000; true\n'), 0o755);
    const session = shell();
    await session.prints('> ');
    expect(session.pty.foreground()).toBe('sh');
    type(session, line);
    await until(() => session.pty.foreground() === name);
  });

  it.each([
    { args: [], runs: null },
    { args: ['-l'], runs: null },
    { args: ['--login', '-o', 'vi', '-i'], runs: null },
    { args: ['-s', 'argument'], runs: null },
    { args: ['--rcfile', '/etc/rc', '-i'], runs: null },
    { args: ['/srv/deploy.sh', '-c'], runs: 'deploy.sh' },
    { args: ['-eu', '-o', 'pipefail', 'deploy.sh'], runs: 'deploy.sh' },
    { args: ['-lc', 'make'], runs: 'bash -c' },
  ])('a shell with $args runs $runs', ({ args, runs }) => {
    expect(shellTask('bash', args)).toBe(runs);
  });
});

describe('a signal', () => {
  it.skipIf(!hasProc)(
    `ends the program and its background jobs, which have their own process groups${unlessProc}`,
    async () => {
      const { pty, exit, prints } = run(
        'set -m; sleep 1000 & echo "job $!"; sleep 1000 & echo "job $!"; wait',
      );
      const jobs = [...(await prints('\njob')).matchAll(/job (\d+)\r\n/g)].map((match) => Number(match[1]));
      expect(pty.signal('SIGTERM')).toBe(true);
      expect(await exit).toEqual({ code: null, signal: 'SIGTERM' });
      await until(() => !jobs.some(runs));
    },
  );

  it.skipIf(!hasProc)(
    `finds a job whose name looks like the fields that follow it${unlessProc}`,
    async () => {
      const sleep = (await promisify(execFile)('sh', ['-c', 'command -v sleep'])).stdout.trim();
      symlinkSync(sleep, join(folder, 'a) S 1 1 1 1'));
      const { pty, prints } = run('set -m; "./a) S 1 1 1 1" 1000 & echo "job $!."; exec sleep 1000');
      const job = Number(/job (\d+)/.exec(await prints('.'))?.[1]);
      await until(() => readFileSync(`/proc/${job}/comm`, 'utf8').startsWith('a)'));
      pty.signal('SIGTERM');
      await until(() => !runs(job));
    },
  );

  it.skipIf(!hasProc)(
    `reaches what a program started in another process session, also once that program has ended${unlessProc}`,
    async () => {
      const script =
        'trap "" HUP; setsid -w sh -c \'trap "" HUP TERM; echo "stray $$."; sleep 1000; true\'; true';
      const { pty, exit, prints } = run(script);
      const stray = Number(/stray (\d+)/.exec(await prints('.'))?.[1]);
      await until(() => processStat(stray)?.session === stray);
      expect(pty.signal('SIGTERM')).toBe(true);
      await exit;
      expect(runs(stray)).toBe(true);
      expect(pty.signal('SIGKILL')).toBe(true);
      await until(() => !runs(stray));
      await until(() => !pty.signal('SIGKILL'));
    },
  );

  it.skipIf(!hasProc)(
    `does not reach a daemon, which has detached from session and parents${unlessProc}`,
    async () => {
      const { pty, exit, prints } = run(
        '(setsid sh -c \'echo "daemon $$."; exec sleep 1000\' &); exec sleep 1000',
      );
      const daemon = Number(/daemon (\d+)/.exec(await prints('.'))?.[1]);
      await until(() => processStat(daemon)?.parent !== pty.pid);
      pty.signal('SIGKILL');
      await exit;
      expect(runs(daemon)).toBe(true);
      process.kill(daemon, 'SIGKILL');
    },
  );

  it.skipIf(!hasProc)(`reaches jobs that outlive the program, until none is left${unlessProc}`, async () => {
    const { pty, exit, prints } = run('set -m; (trap "" HUP; exec sleep 1000) & echo "job $!."');
    const job = Number(/job (\d+)/.exec(await prints('.'))?.[1]);
    await exit;
    expect(runs(job)).toBe(true);
    expect(pty.signal('SIGKILL')).toBe(true);
    await until(() => !runs(job));
    expect(pty.signal('SIGKILL')).toBe(false);
  });

  it('reaches a program that was started just now', async () => {
    for (let round = 0; round < 8; round++) {
      const { pty, exit } = run('exec sleep 1000');
      expect(pty.signal('SIGKILL')).toBe(true);
      expect(await exit).toEqual({ code: null, signal: 'SIGKILL' });
    }
  });

  it('does not reach other sessions', async () => {
    const [ours, theirs] = [run('exec sleep 1000'), run('printf ready; read -r x; echo alive')];
    await theirs.prints('ready');
    ours.pty.signal('SIGKILL');
    await ours.exit;
    theirs.pty.write(Buffer.from('\r'), () => {});
    await theirs.prints('alive');
  });

  it('does not reach a new process that reuses the pid of an ended program', async (context) => {
    // Longer than a hundredth of a second, the resolution of process start times on Linux.
    const first = run('exec sleep 0.05');
    await first.exit;
    for (let attempt = 0; attempt < 100; attempt++) {
      try {
        writeFileSync('/proc/sys/kernel/ns_last_pid', String(first.pty.pid - 1));
      } catch {
        context.skip('this machine does not let us choose the next process id');
      }
      const heir = run('printf ready; read -r x; echo alive');
      if (heir.pty.pid !== first.pty.pid) continue;
      await heir.prints('ready');
      expect(first.pty.signal('SIGKILL')).toBe(false);
      heir.pty.write(Buffer.from('\r'), () => {});
      await heir.prints('alive');
      return;
    }
    context.skip('another process was always faster');
  });
});

describe('a program that does not read its input', () => {
  /** Far more than the kernel holds for a terminal. */
  const PASTE = Buffer.alloc(100_000, 'p');

  it('causes a backlog that is taken in order once the program reads', async () => {
    const script =
      'stty raw -echo; trap "exec head -c 100003" USR1; printf ready; while :; do sleep 1000 & wait; done';
    const { pty, exit, output, prints } = run(script);
    await prints('ready');
    const taken: string[] = [];
    pty.write(PASTE, () => taken.push('paste'));
    pty.write(Buffer.from('end'), () => taken.push('end'));
    pty.write(Buffer.alloc(0), () => taken.push(`nothing, ${pty.backlogBytes} left`));
    expect(pty.backlogBytes).toBeGreaterThan(80_000);
    expect(pty.backlogBytes).toBeLessThan(PASTE.length + 3);
    expect(taken).toEqual([]);
    process.kill(pty.pid, 'SIGUSR1');
    await exit;
    expect(taken).toEqual(['paste', 'end', 'nothing, 0 left']);
    expect(output().equals(Buffer.from(`ready${PASTE}end`))).toBe(true);
  });

  it('gets a copy of the input that waits', async () => {
    const script =
      'stty raw -echo; trap "exec head -c 100000" USR1; printf ready; while :; do sleep 1000 & wait; done';
    const { pty, exit, output, prints } = run(script);
    await prints('ready');
    const reused = Buffer.from(PASTE);
    pty.write(reused, () => reused.fill('?'));
    reused.fill('!');
    process.kill(pty.pid, 'SIGUSR1');
    await exit;
    expect(output().equals(Buffer.concat([Buffer.from('ready'), PASTE]))).toBe(true);
  });

  it('costs almost no processor time', async () => {
    const { pty, prints } = run('stty raw -echo; printf ready; exec sleep 1000');
    await prints('ready');
    let taken = false;
    pty.write(PASTE, () => {
      taken = true;
    });
    const later = run('exec sleep 0.5');
    const before = process.threadCpuUsage();
    await later.exit;
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(100);
    expect(pty.backlogBytes).toBeGreaterThan(80_000);
    expect(taken).toBe(false);
  });

  it.skipIf(!hasProc)('[X6] is still interrupted by Ctrl-C, which discards the waiting input', async () => {
    // The shell has filled the terminal's buffer and does not read it; the program it runs is in the foreground.
    const { pty, exit, prints } = run('trap : INT; printf ready; sleep 1000; printf over; exec sleep 0');
    await prints('ready');
    const taken: string[] = [];
    pty.write(Buffer.alloc(300_000, 'line\n'), () => taken.push('paste'));
    pty.write(Buffer.from('\x03'), () => taken.push('key'));
    await prints('over');
    await exit;
    expect([taken, pty.backlogBytes]).toEqual([['paste', 'key'], 0]);
  });

  it.skipIf(!hasProc)('[X6] is interrupted although the terminal is full of answers', async () => {
    const { pty, exit, prints } = run('stty -icanon -echo; printf ready; exec sleep 1000');
    await prints('ready');
    for (let i = 0; i < 50_000; i++) pty.answer(Buffer.from('\x1b[24;80R'));
    expect(pty.backlogBytes).toBe(0);
    pty.write(Buffer.from('\x03'), () => {});
    expect((await exit).signal).toBe('SIGINT');
  });

  it('leaves no backlog when it ends, and gets no input afterwards', async () => {
    const { pty, exit, prints } = run('stty raw -echo; printf ready; exec sleep 1000');
    await prints('ready');
    const taken: string[] = [];
    pty.write(PASTE, () => taken.push('paste'));
    pty.signal('SIGKILL');
    await exit;
    expect(pty.backlogBytes).toBe(0);
    pty.write(Buffer.from('late'), () => taken.push('late'));
    expect([pty.backlogBytes, taken]).toEqual([0, []]);
  });
});

describe('a refused start', () => {
  const plain = file('plain', '#!/bin/sh\n');
  chmodSync(plain, 0o644);

  it.each([
    {
      why: 'no such directory',
      spec: { cwd: '/nowhere/at/all' },
      code: 'cwd_missing',
      says: '"/nowhere/at/all" does not exist',
    },
    {
      why: 'a file instead of a directory',
      spec: { cwd: plain },
      code: 'cwd_missing',
      says: 'is not a directory',
    },
    {
      why: 'a path through a file',
      spec: { cwd: `${plain}/x` },
      code: 'cwd_missing',
      says: 'does not exist',
    },
    {
      why: 'no such program',
      spec: { command: '/nowhere/sh' },
      code: 'command_missing',
      says: '"/nowhere/sh" does not exist',
    },
    {
      why: 'no such program in PATH',
      spec: { command: 'no-such-sh' },
      code: 'command_missing',
      says: ' in /',
    },
    {
      why: 'an empty PATH',
      spec: { env: { PATH: '/nowhere' } },
      code: 'command_missing',
      says: 'in /nowhere',
    },
    {
      why: 'a relative path that does not exist',
      spec: { command: './sh' },
      code: 'command_missing',
      says: '"./sh"',
    },
    {
      why: 'a file that is not executable',
      spec: { command: plain },
      code: 'not_executable',
      says: 'chmod +x',
    },
    {
      why: 'the same, found in PATH',
      spec: { command: 'plain', env: { PATH: folder } },
      code: 'not_executable',
      says: 'EACCES',
    },
    {
      why: 'a directory instead of a program',
      spec: { command: '/' },
      code: 'not_executable',
      says: 'is not a file',
    },
    {
      why: 'a path with a NUL in it',
      spec: { cwd: '/tmp\0' },
      code: 'cwd_missing',
      says: 'may not be entered',
    },
  ])('[F19] names $why', async ({ spec, code, says }) => {
    const before = openFiles();
    let refusal: unknown;
    try {
      run('exit 0', spec);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code, message: expect.stringContaining(says) });
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });

  it('skips files on PATH that may not be run, and directories', async () => {
    writeFileSync(join(folder, 'greet'), 'echo hello');
    chmodSync(join(folder, 'greet'), 0o755);
    const other = mkdtempSync(join(folder, 'bin-'));
    writeFileSync(join(other, 'greet'), '');
    for (const spec of [
      { command: './greet' },
      { command: 'greet', env: { PATH: `${other}:${folder}:/bin` } },
    ]) {
      const { exit, output } = run('', { args: [], ...spec });
      await exit;
      expect(output().toString()).toBe('hello\r\n');
    }
  });

  it('does not happen to sh without a PATH', async () => {
    expect(await run('exit 4', { env: {} }).exit).toEqual({ code: 4, signal: null });
  });
});

/** For tests that need a separate process: it runs `body` with `run`, and prints one line of JSON. */
async function inOwnProcess(body: string, { limit }: { limit: number }): Promise<unknown> {
  const script = file(
    'own.mts',
    `import { spawnPty } from ${JSON.stringify(new URL('../../../vm-agent/pty/spawn-pty.ts', import.meta.url).href)};
    import fs, { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const openFiles = () => readdirSync('/dev/fd').length;
    // How many more there are than \`most\`, once they are given back or ten seconds have passed.
    const leftBeyond = async (most) => {
      const until = performance.now() + 10_000;
      while (openFiles() > most && performance.now() < until) await new Promise(setImmediate);
      return openFiles() - most;
    };
    const takeAll = () => {
      const taken = [];
      try { for (;;) taken.push(openSync('/', 'r')); } catch {}
      return taken;
    };
    const ptys = [];
    let ended = 0;
    const run = (script) => ptys.push(spawnPty(
      { command: 'sh', args: ['-c', script], cwd: '/', env: { PATH: process.env.PATH }, size: { cols: 80, rows: 24 } },
      { output() {}, exited() { ended++; } },
    ));
    const endAll = async () => {
      for (const pty of ptys) pty.signal('SIGKILL');
      while (ended < ptys.length) await new Promise(setImmediate);
    };
    ${body}`,
  );
  // macOS has no setsid; only the test that checks for a controlling terminal, in /proc, needs it.
  const command = `ulimit -n ${limit}; command -v setsid >/dev/null && exec setsid "$0" "$1"; exec "$0" "$1"`;
  const args = ['-c', command, process.execPath, script];
  const { stdout } = await promisify(execFile)('sh', args, { timeout: 20_000, killSignal: 'SIGKILL' });
  return JSON.parse(stdout);
}

describe('file descriptors', () => {
  const ownFiles = async (): Promise<string[]> => {
    const { exit, output } = run('ls /proc/$$/fd; exit');
    await exit;
    return output().toString().trim().split(/\s+/);
  };

  it.skipIf(!hasProc)(
    `[SEC9] of a program are only its terminal, with other sessions running and others gone${unlessProc}`,
    async () => {
      const others = Array.from({ length: 12 }, () => run('printf ready; exec sleep 1000'));
      await Promise.all(others.map((other) => other.prints('ready')));
      expect(await ownFiles()).toEqual(['0', '1', '2']);
      for (const { pty, exit } of others.filter((_, index) => index % 3 === 0)) {
        pty.signal('SIGKILL');
        await exit;
      }
      expect(await ownFiles()).toEqual(['0', '1', '2']);
      expect(await ownFiles()).toEqual(['0', '1', '2']);
    },
  );

  it('of a program that has ended are all closed', async () => {
    await run('exit 0').exit;
    const before = openFiles();
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 10 }, () => run('exit 0').exit));
    }
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });

  it('[F20] that run out are reported as no_pty, none leaks, and programs start again later', async () => {
    const body = `
      run('exit 0'); // The first terminal of a process makes libuv open a file for good.
      await endAll();
      const before = openFiles();
      const refusals = [];
      for (let round = 0; round < 2; round++) {
        try { for (;;) run('exec sleep 1000'); } catch (error) { refusals.push(error.code ?? String(error)); }
        await endAll();
      }
      console.log(JSON.stringify({ refusals, many: ptys.length > 10, left: await leftBeyond(before) }));`;
    expect(await inOwnProcess(body, { limit: 64 })).toEqual({
      refusals: ['no_pty', 'no_pty'],
      many: true,
      left: 0,
    });
  });

  it('[F20] however few, lead to a refusal or a program that can be ended, and leave nothing behind', async () => {
    const body = `
      const before = openFiles();
      const outcomes = [];
      for (let free = 0; free < 6; free++) {
        const taken = takeAll();
        for (const fd of taken.splice(0, free)) closeSync(fd);
        try { run('exec sleep 1000'); outcomes.push('started'); } catch (error) { outcomes.push(error.code); }
        for (const fd of taken) closeSync(fd);
        if (outcomes.at(-1) !== 'started') continue;
        const { pid } = ptys.at(-1);
        if (!ptys.at(-1).signal('SIGKILL')) outcomes.push('out of reach') && process.kill(pid, 'SIGKILL');
        while (ended < ptys.length) await new Promise(setImmediate);
      }
      // The first terminal of a process makes libuv open a file for good.
      console.log(JSON.stringify({ outcomes: [...new Set(outcomes)], left: await leftBeyond(before + 1) }));`;
    expect(await inOwnProcess(body, { limit: 64 })).toEqual({ outcomes: ['no_pty', 'started'], left: 0 });
  });

  it.skipIf(!hasProc)(
    `[F20] that run out during a start end the program that was started${unlessProc}`,
    async () => {
      const body = `
      run('exit 0');
      await endAll();
      const before = openFiles();
      // As a thread that is faster would. The fork itself always gives one back.
      let taken = [];
      const open = openSync;
      fs.openSync = (path, ...flags) => {
        if (path.startsWith('/dev/pts/')) taken = takeAll();
        return open(path, ...flags);
      };
      syncBuiltinESMExports();
      const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'latin1').trim();
      let refusal;
      try { run('exec sleep 1000'); } catch (error) { refusal = [error.code, /EMFILE/.test(error.message)]; }
      for (const fd of taken) closeSync(fd);
      const left = await leftBeyond(before);
      while (children() !== '') await new Promise(setImmediate);
      console.log(JSON.stringify({ refusal, taken: taken.length > 0, left }));`;
      expect(await inOwnProcess(body, { limit: 64 })).toEqual({
        refusal: ['no_pty', true],
        taken: true,
        left: 0,
      });
    },
  );

  it('are not needed to signal a program when none is left to search for its jobs', async () => {
    const body = `
      run('exec sleep 1000');
      takeAll();
      const found = ptys[0].signal('SIGKILL');
      while (ended < 1) await new Promise(setImmediate);
      console.log(JSON.stringify([found, ptys[0].signal('SIGKILL')]));`;
    expect(await inOwnProcess(body, { limit: 64 })).toEqual([true, false]);
  });

  it('[F20] are enough to start more programs, one after the other, than there are descriptors', async () => {
    const body = `
      for (let round = 0; round < 70; round++) {
        run('exec sleep 1000');
        ptys.at(-2)?.signal('SIGKILL');
        while (ended < round) await new Promise(setImmediate);
      }
      await endAll();
      console.log(ended);`;
    expect(await inOwnProcess(body, { limit: 64 })).toBe(70);
  });

  it.skipIf(!hasProc)(
    `do not make a session the controlling terminal of an agent that has none${unlessProc}`,
    async () => {
      const body = `
      for (let count = 0; count < 20; count++) run('exec sleep 1000');
      const terminal = readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ')[4];
      await endAll();
      console.log(JSON.stringify(terminal));`;
      expect(await inOwnProcess(body, { limit: 256 })).toBe('0');
    },
  );
});
