/** Commands in real shells: with our script (bash, zsh, fish), and without (sh). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, type ExpectStatic, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import type { RunState } from '../../../protocol/messages/run-state.ts';
import { newId } from '../../../vm-agent/session/ids.ts';
import { hasProc } from '../../support/needs-proc.ts';
import { onPath, unlessMissing } from '../../support/on-path.ts';
import { RealSession } from './real-session.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'sh'] as const;
type Shell = (typeof SHELLS)[number];

/** How a command is written in fish, if differently. */
type Written = string | { readonly fish: string; readonly others: string };

const written = (command: Written, shell: Shell) =>
  typeof command === 'string' ? command : shell === 'fish' ? command.fish : command.others;

/** What is run, how it ends and what it prints. The session is the same for all of them. */
const COMMANDS: readonly (readonly [
  what: string,
  command: Written,
  exitCode: number,
  output: string | RegExp,
])[] = [
  ['a command', 'echo hello', 0, 'hello'],
  ['one that fails', 'false', 1, ''],
  ['a directory', 'cd /tmp; pwd', 0, '/tmp'],
  ['… in which the next one is', 'pwd', 0, '/tmp'],
  ['a variable', { fish: 'set -gx NAME value', others: 'export NAME=value' }, 0, ''],
  ['… that the next one has', 'printenv NAME', 0, 'value'],
  ['a pipeline', 'printf "b\\na\\n" | sort | head -n 1', 0, 'a'],
  ['an exit code of a program', 'sh -c "exit 42"', 42, ''],
  ['a command that is not found', 'no-such-command-here', 127, /not found|Unknown command/],
  [
    'several lines',
    { fish: 'for i in 1 2\n  echo $i\nend', others: 'for i in 1 2\ndo\n  echo $i\ndone' },
    0,
    '1\n2',
  ],
  ['a here-document', { fish: 'printf "x\\ny!\\n"', others: 'cat <<END\nx\ny!\nEND' }, 0, 'x\ny!'],
  ['`!`', 'echo "a!b" \'!!\' !x', 0, 'a!b !! !x'],
  ['what looks like the history', 'echo ^a^b', 0, '^a^b'],
  ['only a comment', '# nothing to do', 0, ''],
  ['a comment behind it', 'echo x # y', 0, 'x'],
  ['quotes and tabs', `printf '%s|' "it's" 'a\tb' '"' '$x' | cat -A`, 0, `it's|a^Ib|"|$x|`],
  ['a line without an end', 'printf abc', 0, 'abc'],
  ['an error in its syntax', { fish: 'eval ")"', others: 'eval ")"' }, 1, /./],
  ['text that is not ASCII', 'echo "grüße 😀"', 0, 'grüße 😀'],
  [
    'marks with a nonce that is guessed',
    `printf '\\033]133;D;0;nonce=guess;n=1\\007\\033]133;A;nonce=guess\\007x'; sh -c 'exit 5'`,
    5,
    'x',
  ],
  [
    'marks without a nonce',
    `printf '\\033]133;D;0\\007\\033]133;A\\007\\033]133;C\\007y'; sh -c 'exit 6'`,
    6,
    'y',
  ],
];

async function refusal(running: Promise<RunState>): Promise<string> {
  try {
    return `answered ${JSON.stringify(await running)}`;
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** The tests of one shell, one after the other in one session. */
function inOneSession(shell: Shell): void {
  let expect: ExpectStatic;
  beforeEach((test) => {
    expect = test.expect;
  });
  let real: RealSession;
  beforeAll(() => {
    real = new RealSession(shell);
  });
  /** A machine that has much else to do may show the first prompt later than a run waits for it. */
  const ready = () =>
    expect.poll(() => refusal(real.run('true')), { timeout: 60_000 }).toMatch(/"state":"done"/);
  /** Ctrl-C, and a prompt that answers. */
  const interrupt = async () => {
    await real.assistantTypes('\x03');
    await ready();
  };

  it('runs commands right after it was started, one after the other', { timeout: 120_000 }, async () => {
    await ready();
    for (const [what, command, exitCode, output] of COMMANDS) {
      const state = await real.run(written(command, shell));
      expect.soft(state, what).toMatchObject({ state: 'done', omittedBytes: 0 });
      // What an error in the syntax is, differs.
      if (what.startsWith('an error')) expect.soft(state.exitCode, what).toBeGreaterThan(0);
      else expect.soft(state.exitCode, what).toBe(exitCode);
      if (typeof output === 'string') expect.soft(state.output, what).toBe(output);
      else expect.soft(state.output, what).toMatch(output);
    }
  });

  it('answers where it is', async () => {
    expect(await real.run('cd /')).toMatchObject({ cwd: '/', exitCode: 0 });
  });

  it('types a command once, however often it is asked for, and answers each time', {
    timeout: 30_000,
  }, async () => {
    const file = join(real.home, 'count');
    const act = newId();
    const ask = () => real.run(`echo x >> ${file}; sh -c 'exit 9'`, { act });
    const states = [...(await Promise.all([ask(), ask()])), await ask()];
    expect(states.map(({ exitCode }) => exitCode)).toEqual([9, 9, 9]);
    expect(readFileSync(file, 'utf8')).toBe('x\n');
    expect(await refusal(real.run('echo other', { act }))).toMatch(/^input_conflict/);
  });

  it('runs commands that are asked for at the same moment one by one, or says what runs', {
    timeout: 60_000,
  }, async () => {
    const file = join(real.home, 'at-once');
    const answers = await Promise.all(
      [1, 2, 3].map((n) => refusal(real.run(`echo ${n} >> ${file}; sh -c 'exit ${n}'`))),
    );
    const done = answers.filter((answer) => answer.startsWith('answered'));
    expect(done.length).toBeGreaterThan(0);
    for (const answer of answers) expect(answer).toMatch(/"exitCode":[123],|^shell_busy/);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(done.length + 1);
  });

  it('answers `running` when the time is over, and `done` later', { timeout: 30_000 }, async () => {
    const act = newId();
    const file = join(real.home, 'go');
    const command = {
      fish: `echo begun; while not test -e ${file}; sleep 0.05; end; false`,
      others: `echo begun; until test -e ${file}; do sleep 0.05; done; false`,
    };
    const first = await real.run(written(command, shell), { act, waitMs: 1500 });
    expect(first).toMatchObject({ state: 'running', exitCode: null, output: 'begun' });
    expect(await refusal(real.run('echo busy'))).toMatch(/^shell_busy/);
    const waiting = real.run(written(command, shell), { act });
    writeFileSync(file, '');
    expect(await waiting).toMatchObject({ state: 'done', exitCode: 1, output: 'begun' });
  });

  it('says that a program waits for input', { timeout: 60_000 }, async () => {
    const act = newId();
    const ask = () => real.run(`sh -c 'printf "name? "; read x; echo "hello $x"; exit 4'`, { act });
    expect(await ask()).toMatchObject({ state: 'needs_input', guessed: true, output: 'name?' });
    await real.assistantTypes('Ann\n');
    expect(await ask()).toMatchObject({
      state: 'done',
      exitCode: 4,
      output: expect.stringContaining('hello Ann'),
    });
  });

  it('says so of a password too, which is not shown', { timeout: 60_000 }, async () => {
    const act = newId();
    const asks = `sh -c 'stty -echo; printf "Password: "; read x; stty echo; echo; test "$x" = secret'`;
    expect(await real.run(asks, { act })).toMatchObject({ state: 'needs_input', output: 'Password:' });
    await real.assistantTypes('secret\n');
    const { state, exitCode, output } = await real.run(asks, { act });
    expect([state, exitCode, output.includes('secret')]).toEqual(['done', 0, false]);
  });

  it('says so of its own `read`', { timeout: 60_000 }, async () => {
    const act = newId();
    const reads = { fish: 'read x; echo "[$x]"', others: 'read x; echo "[$x]"' };
    expect(await real.run(written(reads, shell), { act })).toMatchObject({
      state: 'needs_input',
      program: shell,
    });
    expect(await refusal(real.run('echo not into that'))).toMatch(/^shell_busy/);
    await real.assistantTypes(shell === 'fish' ? 'word\r' : 'word\n');
    const { state, exitCode, output } = await real.run(written(reads, shell), { act });
    expect([state, exitCode, output.split('\n').at(-1)]).toEqual(['done', 0, '[word]']);
  });

  it.skipIf(onPath('vim') === undefined)(
    'says so of vim, and is busy meanwhile',
    { timeout: 60_000 },
    async () => {
      const act = newId();
      const state = await real.run('vim -u NONE -i NONE', { act });
      expect(state).toMatchObject({ state: 'needs_input', program: 'vim' });
      expect(await refusal(real.run('echo busy'))).toMatch(/^shell_busy: .*(vim)/);
      await real.assistantTypes('\x1b:q!\r');
      expect(await real.run('vim -u NONE -i NONE', { act })).toMatchObject({ state: 'done', exitCode: 0 });
      expect(await real.run('echo after')).toMatchObject({ state: 'done', output: 'after' });
    },
  );

  it('prints 10 MB', { timeout: 120_000 }, async () => {
    const state = await real.run('head -c 10000000 /dev/zero | tr "\\0" "x" | fold -w 79; echo; echo end', {
      waitMs: 60_000,
    });
    expect(state).toMatchObject({ state: 'done', exitCode: 0 });
    expect(state.output.startsWith('x'.repeat(79))).toBe(true);
    expect(state.output.endsWith('xx\nend')).toBe(true);
    const printed = 10_000_000 + 2 * Math.ceil(10_000_000 / 79);
    expect(state.omittedBytes).toBeGreaterThan(printed - 25_000);
    expect(state.omittedBytes).toBeLessThan(printed - 24_000);
  });

  it('is not typed into after somebody has begun a line', { timeout: 60_000 }, async () => {
    real.types('rm -rf no');
    real.session.assist.typing.handBack();
    expect(await refusal(real.run('thing'))).toMatch(/^shell_busy: .*begun a line/);
    real.types('\x03');
    real.session.assist.typing.handBack();
    await interrupt();
  });

  it('is given the keys of a person, who interrupts what an assistant runs', {
    timeout: 60_000,
  }, async () => {
    const running = real.run('sleep 100');
    await expect.poll(() => real.session.assist.typing.holder?.kind).toBe('assistant');
    await expect.poll(() => real.session.info.foreground, { timeout: 10_000 }).toMatch(/sleep/);
    real.types('\x03');
    expect(await running).toMatchObject({ state: 'taken_over', by: 'Ann' });
    expect(await refusal(real.run('echo no'))).toMatch(/^taken_over/);
    real.session.assist.typing.handBack();
    await interrupt();
  });

  it('has its program ended by a signal, and is not ended by it itself', { timeout: 60_000 }, async () => {
    const running = real.run('sleep 100');
    await expect.poll(() => real.session.info.foreground, { timeout: 10_000 }).toMatch(/sleep/);
    expect(real.session.assist.signal('SIGTERM')).toBe('sleep');
    if (shell === 'sh') expect(await running).toMatchObject({ state: 'done', exitCode: 143 });
    else expect(await running).toMatchObject({ state: 'done' });
    await ready();
  });

  it('has a terminal that a killed program has left in another mode', { timeout: 60_000 }, async () => {
    // Bash, zsh and fish set the modes they want at each prompt; sh takes what it finds.
    expect(await real.run('stty raw -echo')).toMatchObject({ state: 'done', exitCode: 0 });
    expect(await real.run('echo still; sh -c "exit 3"')).toMatchObject({
      state: 'done',
      exitCode: 3,
      output: 'still',
    });
    expect(await real.run('stty sane')).toMatchObject({ state: 'done', exitCode: 0 });
  });

  it('wants the rest of a line that is not whole, and is usable after Ctrl-C', {
    timeout: 60_000,
  }, async () => {
    if (shell === 'sh') {
      // All of it is read before any of it is run.
      expect(await real.run('echo "a')).toMatchObject({ state: 'done', exitCode: 2 });
      return;
    }
    expect(await real.run('echo "a')).toMatchObject({
      state: 'needs_input',
      program: shell,
      exitCode: null,
    });
    await interrupt();
  });

  it('ends with `exit`, whose code is that of the run', { timeout: 30_000 }, async () => {
    expect(await real.run('exit 3')).toMatchObject({ state: 'done', exitCode: 3 });
    expect(await refusal(real.run('echo gone'))).toMatch(/^session_exited/);
    expect(existsSync(real.home)).toBe(true);
  });
}

// In parallel, because most of the time something is awaited.
for (const shell of SHELLS) {
  const path = onPath(shell);
  const skipped = !hasProc || path === undefined;
  describe.skipIf(skipped)(`[A1] ${shell}${unlessMissing(shell, path)}`, { concurrent: true }, () => {
    describe('in one session', { concurrent: false }, () => inOneSession(shell));
  });
}
