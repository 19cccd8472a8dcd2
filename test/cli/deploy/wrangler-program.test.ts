/** How wrangler is called and what is read from it, with a program in its place. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { findWrangler, type ProgramStart } from '../../../cli/deploy/find-wrangler.ts';
import { runBounded } from '../../../cli/deploy/run-bounded.ts';
import { WranglerProgram } from '../../../cli/deploy/wrangler-program.ts';
import { systemClock } from '../../../node/system-clock.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type AccountState, StandInAccount } from '../../support/stand-in-account.ts';

const opened: Disposable[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one[Symbol.dispose]();
});

function open(state: Partial<AccountState> = {}) {
  const account = new StandInAccount(state);
  opened.push(account);
  const files = {
    config: join(account.dir, 'wrangler.json'),
    report: join(account.dir, 'report.ndjson'),
    cwd: account.dir,
  };
  writeFileSync(files.config, '{}');
  const wrangler = new WranglerProgram([account.program], files, systemClock);
  return { account, wrangler, files };
}

describe('wrangler as a program', () => {
  it.each([true, false])('[J4] tells whether somebody is logged in: %s', async (loggedIn) => {
    expect(await open({ loggedIn }).wrangler.isLoggedIn()).toBe(loggedIn);
  });

  it('[J4] that cannot tell who is logged in is not taken for a logout', async () => {
    const { wrangler } = open({ fails: { whoami: 'Unable to resolve the hostname' } });
    await expect(wrangler.isLoggedIn()).rejects.toMatchObject({
      message: expect.stringMatching(/cannot tell who is logged in/),
      lines: ['✘ [ERROR] Unable to resolve the hostname'],
    });
  });

  it('[J4] lists the names of secrets, and knows a Worker that is not there', async () => {
    const { wrangler } = open({ workers: { holdfast: { RELAY_SECRET: 'x', OTHER: 'y' } } });
    expect(await wrangler.secretNames('holdfast')).toEqual(new Set(['RELAY_SECRET', 'OTHER']));
    expect(await wrangler.secretNames('unknown')).toBe(null);
  });

  it('[J4] of an older version tells by a code that there is no such Worker', async () => {
    const { wrangler } = open({
      fails: { 'secret list': 'This Worker does not exist on your account. [code: 10007]' },
    });
    expect(await wrangler.secretNames('holdfast')).toBe(null);
  });

  it('[J4] that cannot list secrets is not taken for a deployment without any', async () => {
    const { wrangler } = open({ fails: { 'secret list': 'Authentication error [code: 10000]' } });
    await expect(wrangler.secretNames('holdfast')).rejects.toMatchObject({
      message: expect.stringMatching(/cannot list the secrets of holdfast, so nothing was deployed/),
      lines: ['✘ [ERROR] Authentication error [code: 10000]'],
    });
  });

  it('[J4] deploys a Worker by its name, and reports where it is reached', async () => {
    const { account, wrangler, files } = open({ targets: ['https://a.workers.dev', 7] });
    expect(await wrangler.deploy('a')).toEqual(['https://a.workers.dev']);
    expect(account.calls.map(({ args }) => args)).toEqual([
      ['deploy', '--name', 'a', '--config', files.config],
    ]);
  });

  it('[J4] rehearses without uploading', async () => {
    const { account, wrangler } = open();
    expect(await wrangler.rehearse('a')).toContain('Total Upload: 1 KiB');
    expect(account.calls[0]?.args).toContain('--dry-run');
    expect(account.state.workers).toEqual({});
  });

  it.each([
    ['deploy', /could not deploy a; correct what it says above/],
    ['rehearse', /could not deploy a; correct what it says above/],
  ] as const)(
    '[J4] that fails to %s is quoted: bounded, and without what a terminal obeys',
    async (what, sentence) => {
      const fails = { deploy: `${'x\n'.repeat(5000)}\x1b]0;title\x07\x9b2Jthe end${'y'.repeat(9000)}` };
      const { wrangler } = open({ fails });
      const failure = await wrangler[what]('a').catch((error) => error);
      expect(failure.message).toMatch(sentence);
      expect(failure.lines.length).toBe(30);
      expect(failure.lines.at(-1)).toMatch(/^the endy+$/);
      expect(Math.max(...failure.lines.map((line: string) => line.length))).toBeLessThanOrEqual(400);
    },
  );

  it('[J4] gets secrets through its standard input: not in an argument, its environment or a file of ours', async () => {
    const { account, wrangler } = open({ workers: { a: { OTHER: 'kept' } } });
    await wrangler.putSecrets('a', { RELAY_SECRET: 'very secret' });
    expect(account.state.workers).toEqual({ a: { OTHER: 'kept', RELAY_SECRET: 'very secret' } });
    const [{ input, ...rest } = { input: '' }] = account.calls;
    expect(input).toBe('{"RELAY_SECRET":"very secret"}');
    expect(JSON.stringify(rest)).not.toContain('very secret');
  });

  it('[J4] writes no request to its log, whatever the person has set', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { WRANGLER_LOG: 'debug', WRANGLER_LOG_SANITIZE: 'false' });
    try {
      const { account, wrangler } = open({ workers: { a: {} } });
      await wrangler.putSecrets('a', { RELAY_SECRET: 'very secret' });
      expect(account.calls[0]?.env).toMatchObject({ WRANGLER_LOG: 'log', WRANGLER_LOG_SANITIZE: 'true' });
    } finally {
      process.env = before;
    }
  });

  it('[J4] that refuses secrets is quoted, and the sentence says to run the command again', async () => {
    const { wrangler } = open({ fails: { 'secret bulk': 'refused [code: 10021]' } });
    await expect(wrangler.putSecrets('a', { RELAY_SECRET: 'very secret' })).rejects.toMatchObject({
      message: expect.stringMatching(/^a is deployed, but .* run this again$/),
      lines: ['✘ [ERROR] refused [code: 10021]'],
    });
  });

  it('[J4] that cannot be started has failed', async () => {
    const { files } = open();
    const wrangler = new WranglerProgram(['/nowhere/wrangler'], files, systemClock);
    await expect(wrangler.deploy('a')).rejects.toMatchObject({ lines: [expect.stringMatching(/ENOENT/)] });
  });

  it('[J4] that prints without end is read to its end, and only the end is kept', async () => {
    const much = ['/bin/sh', '-c', 'head -c 5000000 /dev/zero; echo; echo done'] as const;
    const { stdout, lines } = await runBounded(much, {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      input: '',
      clock: systemClock,
    });
    expect([stdout.length, lines.at(-1)]).toEqual([256 * 1024, 'done']);
  });

  it('[J4] that does not end in time is stopped', async () => {
    const clock = new FakeClock();
    // Longer than any test.
    const waits = ['/bin/sleep', '3600'] as const;
    const running = runBounded(waits, { cwd: '/', env: {}, input: '', clock });
    clock.advance(15 * 60_000);
    expect(await running).toMatchObject({
      succeeded: false,
      lines: expect.arrayContaining(['It has not ended in 15 minutes, and was stopped.']),
    });
  });
});

describe('finding wrangler', () => {
  const nothing = pathToFileURL('/nowhere/');

  it('[J4] prefers the one beside us, run by our Node', async () => {
    const { account } = open();
    const dir = join(account.dir, 'node_modules/wrangler');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'package.json'), '{}');
    const found: ProgramStart = [process.execPath, join(dir, 'bin/wrangler.js')];
    const project = pathToFileURL(join(account.dir, 'node_modules/holdfast/'));
    expect(await findWrangler(project, account.bin)).toEqual(found);
  });

  it('[J4] takes the first program of that name on PATH otherwise', async () => {
    const { account } = open();
    mkdirSync(join(account.dir, 'wrangler'));
    expect(
      await findWrangler(nothing, `${relative(process.cwd(), account.bin)}:${account.dir}:${account.bin}`),
    ).toEqual([account.program]);
  });

  it.each([undefined, '', '/nowhere', '.'])('[J4] says how to install it if PATH is %j', async (path) => {
    await expect(findWrangler(nothing, path)).rejects.toThrow(
      /^there is no wrangler here, .* `npm install -g wrangler@4\.\d+\.\d+`$/,
    );
  });
});
