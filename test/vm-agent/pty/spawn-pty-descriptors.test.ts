/** Real shells in real terminals: file descriptors. Tests wait for printed output or for the end of a program. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { endsPrograms, file, openFiles, run } from './real-shell.ts';

endsPrograms();

/** For tests that need a separate process: it runs `body` with `run`, and prints one line of JSON. */
async function inOwnProcess(body: string, { limit }: { limit: number }): Promise<unknown> {
  const script = file(
    'own.mts',
    `import { spawnPty } from ${JSON.stringify(new URL('../../../vm-agent/pty/spawn-pty.ts', import.meta.url).href)};
    import fs, { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const openFiles = () => readdirSync('/dev/fd').length;
    // How many more there are than \`most\`, once they are given back or a minute has passed.
    const leftBeyond = async (most) => {
      const until = performance.now() + 60_000;
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
  const { stdout } = await promisify(execFile)('sh', args, { timeout: 180_000, killSignal: 'SIGKILL' });
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
