/** Real shells in real terminals: exits and signals. Tests wait for printed output or for the end of a program. */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { processStat } from '../../../vm-agent/pty/process-session.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { TEST_WITHIN_MS } from '../../support/time-limit.ts';
import {
  endsPrograms,
  file,
  folder,
  opened,
  run,
  runs,
  type Session,
  stateOf,
  turn,
  until,
} from './real-shell.ts';

endsPrograms();

/** How many exits of each shape are watched; a thousand take about a minute. */
const EXITS = Number(process.env.HOLDFAST_EXITS ?? 16);

/** True once the program has been collected by its parent, this process. */
function collected(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

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
    { timeout: TEST_WITHIN_MS + EXITS * 500 },
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
