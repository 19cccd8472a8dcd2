/** Real programs that wait for input, or for something else. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { waitingForInput } from '../../../vm-agent/pty/waiting-for-input.ts';
import { hasProc, unlessProc } from '../../support/needs-proc.ts';
import { endsPrograms, file, run, type Session } from './real-shell.ts';

endsPrograms();

/** Asks until the program waits: it does so some time after it has printed. */
const untilItWaits = (session: Session) =>
  expect.poll(async () => waitingForInput(session.pty.pid), { timeout: 10_000, interval: 20 });

const BASH = { command: 'bash', args: ['--norc', '-i'] };

describe.skipIf(!hasProc)(`[A4] a program in the foreground${unlessProc}`, () => {
  it('waits for a line', async () => {
    const session = run('printf "name? "; read -r name; printf "hello $name"; sleep 100');
    await untilItWaits(session).toEqual({
      waits: true,
      echoOff: false,
      takesLines: true,
      program: 'sh -c',
      isOwnShell: false,
    });
    session.pty.write(Buffer.from('you\r'), () => {});
    await session.prints('hello you');
    expect((await waitingForInput(session.pty.pid)).waits).toBe(false);
  });

  it('waits for a password', async () => {
    const session = run('stty -echo; printf "Password: "; exec head -n 1');
    await untilItWaits(session).toMatchObject({ waits: true, echoOff: true, program: 'head' });
  });

  it('waits for a key', async () => {
    const session = run('stty -icanon -echo; printf "Go on? [y/n] "; exec head -c 1');
    await untilItWaits(session).toMatchObject({ waits: true, echoOff: false, takesLines: false });
  });

  it('waits for a line that it lets people edit', async () => {
    const session = run('exec bash -c \'read -e -p "name? " name\'');
    await untilItWaits(session).toMatchObject({ waits: true, takesLines: false, program: 'bash -c' });
  });

  it('waits in an event loop', async () => {
    const script = file('ask.mjs', "process.stdout.write('Ok? '); process.stdin.once('data', () => {});");
    const session = run(`exec '${process.execPath}' ${script}`);
    await untilItWaits(session).toMatchObject({ waits: true, program: 'node' });
  });

  it('is the one of a group that reads', async () => {
    const session = run('sh -c \'sleep 100 & printf "name? "; head -n 1; wait\'; true');
    await untilItWaits(session).toMatchObject({ waits: true, program: 'head' });
  });

  it.each([
    ['sleeps', 'echo ready; exec sleep 100'],
    ['waits for another program', 'echo ready; sleep 100; true'],
    ['computes', 'echo ready; while :; do :; done'],
    ['reads a file', 'mkfifo fifo; echo ready; exec cat fifo'],
  ])('does not wait for input when it %s', async (_, script) => {
    const session = run(script);
    await session.prints('ready');
    for (let look = 0; look < 5; look++)
      expect(await waitingForInput(session.pty.pid)).toMatchObject({ waits: false, program: null });
  });

  it('does not wait for input while its event loop waits for others too', async () => {
    const script = file(
      'serve.mjs',
      "import { createServer } from 'node:net';" +
        "createServer().listen(0, '127.0.0.1', () => process.stdin.once('data', () => {}) && console.log('ready'));",
    );
    const session = run(`exec '${process.execPath}' ${script}`);
    await session.prints('ready');
    for (let look = 0; look < 5; look++) expect((await waitingForInput(session.pty.pid)).waits).toBe(false);
  });
});

describe.skipIf(!hasProc)(`[A4] a shell${unlessProc}`, () => {
  it('at its prompt does not count, and in `read` it does', async () => {
    const session = run('', { ...BASH, env: { PATH: process.env.PATH ?? '', PS1: 'here> ' } });
    await session.prints('here> ');
    for (let look = 0; look < 5; look++) expect((await waitingForInput(session.pty.pid)).waits).toBe(false);
    session.pty.write(Buffer.from('read name\r'), () => {});
    await untilItWaits(session).toMatchObject({ waits: true, isOwnShell: true, program: 'bash' });
    expect((await waitingForInput(session.pty.pid, false)).waits).toBe(false);
  });

  it('that another program has started does not count at its prompt', async () => {
    const session = run('', { ...BASH, env: { PATH: process.env.PATH ?? '', PS1: 'outer> ' } });
    await session.prints('outer> ');
    session.pty.write(Buffer.from("PS1='inner> ' sh -i\r"), () => {});
    await session.prints('\ninner> ');
    for (let look = 0; look < 5; look++) expect((await waitingForInput(session.pty.pid)).waits).toBe(false);
  });
});

const NOBODY = 65534;
const mayChangeUser = hasProc && process.getuid?.() === 0;

/** Asks as a user who may not look at the program, but owns its terminal: as the agent of a user who runs sudo. */
async function askedByNobody(session: Session): Promise<unknown> {
  chownSync(readlinkSync(`/proc/${session.pty.pid}/fd/0`), NOBODY, -1);
  const source = new URL('../../../vm-agent/pty/waiting-for-input.ts', import.meta.url);
  const script = `
    const { waitingForInput } = await import('${source}');
    process.stdout.write(JSON.stringify(await waitingForInput(${session.pty.pid})));`;
  const asking = spawn(process.execPath, ['--input-type=module', '-e', script], {
    uid: NOBODY,
    gid: NOBODY,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [answer] = await once(asking.stdout, 'data');
  return JSON.parse(`${answer}`);
}

describe.skipIf(!mayChangeUser)(
  `[A4] a program of another user${mayChangeUser ? '' : ' (skipped: needs root and /proc)'}`,
  () => {
    it('waits if the terminal takes a password', async () => {
      const session = run('stty -echo; printf "Password: "; exec head -n 1');
      await session.prints('Password: ');
      expect(await askedByNobody(session)).toMatchObject({ waits: true, echoOff: true, takesLines: true });
    });

    it('is not known to wait otherwise', async () => {
      const session = run('printf "name? "; exec head -n 1');
      await session.prints('name? ');
      expect(await askedByNobody(session)).toMatchObject({ waits: false });
    });
  },
);

it('[A4] without a terminal, nothing waits', async () => {
  expect(await waitingForInput(0)).toMatchObject({ waits: false });
});
