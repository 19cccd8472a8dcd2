/** Real shells in real terminals: output, input, size and directory. Tests wait for printed output or for the end of a program. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { shellTask } from '../../../vm-agent/pty/foreground.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { endsPrograms, file, folder, run, type Session, turn, until } from './real-shell.ts';

endsPrograms();

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));

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
    {
      what: 'Node, which has named its thread',
      line: `${process.execPath} -e "setTimeout(() => {}, 1e6)"`,
      name: 'node',
    },
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
