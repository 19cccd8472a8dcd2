/** What is answered about a run always fits a message. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT_CONTROL_MAX_BYTES, PATH_MAX_CHARS } from '../../../protocol/limits.ts';
import { parseAgentMessage } from '../../../protocol/messages/agent-message.ts';
import type { AssistedSession } from '../../../vm-agent/run/assisted-session.ts';
import { TYPED } from '../../../vm-agent/run/run.ts';
import { runAnswer } from '../../../vm-agent/run/run-answer.ts';
import { KnownRun, type RunFacts } from '../../../vm-agent/run/session-runs.ts';
import { checkProperty } from '../../support/property.ts';

const FACTS: RunFacts = {
  ...{ act: 'a', once: 'o', nonce: 'N', isMarked: true, from: 0, typedAt: 0 },
  ...{ beganAt: 0, durationMs: 1500, takenBy: null },
  place: { outputFrom: 0, outputTo: 100_000, exitCode: 3, number: 7 },
};

/** A session whose terminal shows this, however little was printed. */
function session(text: string, cwd: string | null, program = 'sh'): AssistedSession {
  return {
    start: 0,
    end: 200_000,
    read: (from: number, to: number) => new Uint8Array(Math.max(0, to - from)),
    draw: async () => text,
    cwd: () => cwd,
    look: () => ({ program, isOwn: true, isShell: true, reads: true }),
  } as Partial<AssistedSession> as AssistedSession;
}

const sent = async (run: KnownRun, of: AssistedSession, noticed = {}) => {
  const state = await runAnswer(run, of, { takenBy: null, ...noticed });
  const message = {
    type: 'run_state',
    request: 'r'.repeat(64),
    session: 's'.repeat(64),
    run: state,
  } as const;
  const frame = JSON.stringify({ type: 'to_client', channel: 0xffff_ffff, message });
  expect(Buffer.byteLength(frame)).toBeLessThan(AGENT_CONTROL_MAX_BYTES);
  parseAgentMessage(frame);
  return state;
};

describe('[A1] [AS1] the answer about a run', () => {
  it('says how it ended', async () => {
    expect(await sent(new KnownRun(FACTS), session('out', '/home'))).toMatchObject({
      ...{ state: 'done', exitCode: 3, durationMs: 1500, offset: 100_000, cwd: '/home', command: 7 },
    });
  });

  it('[AS5] has the offset after the mark of its end, from where the next command is waited for', async () => {
    const run = new KnownRun({ ...FACTS, place: { ...FACTS.place, endsAt: 100_040 } });
    expect(await sent(run, session('out', '/home'))).toMatchObject({ state: 'done', offset: 100_040 });
  });

  it.each([
    ['goes on', {}, {}, { state: 'running', program: 'sh' }],
    ['waits for input', {}, { waiting: 'sudo' }, { state: 'needs_input', program: 'sudo', guessed: true }],
    ['was interrupted by a person', {}, { takenBy: 'Ann' }, { state: 'taken_over', by: 'Ann' }],
    ['was dropped by one', { takenBy: 'Ann' }, {}, { state: 'taken_over', by: 'Ann' }],
  ])('says that it %s', async (_, facts, noticed, expected) => {
    const run = new KnownRun({ ...FACTS, durationMs: null, place: TYPED, ...facts });
    const state = await sent(run, session('', null), noticed);
    expect(state).toMatchObject({ ...expected, exitCode: null, output: '', offset: 200_000 });
  });

  it('says that it is done, although a person has taken the keyboard meanwhile', async () => {
    expect((await sent(new KnownRun(FACTS), session('', null), { takenBy: 'Ann' })).state).toBe('done');
  });

  it('fits a message with the worst of everything', async () => {
    await sent(new KnownRun(FACTS), session('"'.repeat(100_000), '\x01'.repeat(PATH_MAX_CHARS)));
    await sent(new KnownRun(FACTS), session('😀'.repeat(100_000), '"'.repeat(PATH_MAX_CHARS)));
  });

  it('does not tell a directory whose name would not fit', async () => {
    const told = async (cwd: string) => (await sent(new KnownRun(FACTS), session('', cwd))).cwd;
    expect(await told('/x'.repeat(2000))).toHaveLength(4000);
    expect(await told('\x01'.repeat(PATH_MAX_CHARS))).toBeNull();
    expect(await told('x'.repeat(PATH_MAX_CHARS + 1))).toBeNull();
  });

  it('fits a message whatever a program prints and calls its directory', async () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }),
      fc.constantFrom('"', '\\', '\n', '\t', '\x01', '\u2028', '\ud800', '\ufffd'),
    );
    const length = fc.integer({ min: 1, max: 40_000 });
    const long = (of: string, chars: number) => of.repeat(Math.ceil(chars / of.length)).slice(0, chars);
    await checkProperty(
      'run-answer',
      fc.asyncProperty(unit, length, unit, length, async (text, chars, path, pathChars) => {
        await sent(
          new KnownRun(FACTS),
          session(long(text, chars), long(path, Math.min(PATH_MAX_CHARS, pathChars))),
        );
      }),
      { numRuns: 50 },
    );
  });
});
