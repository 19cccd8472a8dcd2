/** The runs of a session: how many are kept, and what the next process knows of them. */
import { describe, expect, it } from 'vitest';
import { RUN_HEAD_MAX_BYTES, RUNS_KEPT } from '../../../protocol/limits.ts';
import { TYPED } from '../../../vm-agent/run/run.ts';
import { RUNS_SAVED, type RunFacts, SessionRuns } from '../../../vm-agent/run/session-runs.ts';

const C = '\x1b]133;C;nonce=N;n=1\x07';
const D = '\x1b]133;D;3;nonce=N;n=1\x07';

function factsOf(act: string, from = 0): RunFacts {
  return {
    ...{ act, once: 'o', nonce: 'N', isMarked: true, from, typedAt: 100 },
    ...{ beganAt: null, durationMs: null, place: TYPED, takenBy: null },
  };
}

/** Runs, and a session that prints. */
function started(saved: readonly RunFacts[] = []) {
  const time = { now: 100 };
  const runs = new SessionRuns(() => time.now, saved);
  let end = 0;
  return {
    runs,
    time,
    prints(text: string): boolean {
      const offset = end;
      end += text.length;
      return runs.printed(offset, Buffer.from(text));
    },
    /** A whole run. */
    ends(act: string, output = ''): void {
      runs.add(factsOf(act, end));
      this.prints(`${C}${output}${D}`);
    },
  };
}

describe('[A1] the runs of a session', () => {
  it('tell when one begins and when it ends, and how long it took', () => {
    const { runs, time, prints } = started();
    const run = runs.add(factsOf('a'));
    expect(prints('echo\r\n')).toBe(false);
    time.now = 200;
    expect(prints(C)).toBe(true);
    expect([run.hasBegun, run.hasEnded, runs.open === run]).toEqual([true, false, true]);
    expect(prints('output')).toBe(false);
    time.now = 250;
    expect(prints(D)).toBe(true);
    expect([run.hasEnded, runs.open, run.runMs(9999)]).toEqual([true, undefined, 50]);
    expect(prints(`${C}${D}`)).toBe(false);
  });

  it(`are ${RUNS_KEPT} at most, the newest`, () => {
    const world = started();
    for (let i = 0; i <= RUNS_KEPT; i++) world.ends(`${i}`);
    expect(world.runs.size).toBe(RUNS_KEPT);
    expect(world.runs.find('0')).toBeUndefined();
    expect(world.runs.find('1')?.facts.place.exitCode).toBe(3);
  });

  it('are no more if every one is dropped before it is typed', () => {
    const { runs } = started();
    for (let i = 0; i < RUNS_KEPT + 10; i++) {
      runs.add(factsOf(`${i}`));
      runs.dropped(`${i}`, 'Ann');
    }
    expect([runs.size, runs.open]).toEqual([RUNS_KEPT, undefined]);
  });

  it('keep the first bytes of a few', () => {
    const world = started();
    for (let i = 0; i < 9; i++) world.ends(`${i}`, `output ${i}`);
    const heads = Array.from({ length: 9 }, (_, i) =>
      Buffer.from(world.runs.find(`${i}`)?.head ?? []).toString(),
    );
    expect(heads).toEqual(['', ...Array.from({ length: 8 }, (_, i) => `output ${i + 1}`)]);
    world.ends('long', 'x'.repeat(3 * RUN_HEAD_MAX_BYTES));
    expect(world.runs.find('long')?.head.length).toBe(RUN_HEAD_MAX_BYTES);
  });

  it('have one that goes on: another that is typed ends it, with an exit code that nobody knows', () => {
    const { runs, prints } = started();
    const first = runs.add(factsOf('a'));
    prints(`${C}begun`);
    const second = runs.add(factsOf('b', 40));
    expect([first.hasEnded, first.facts.place]).toMatchObject([true, { exitCode: null, outputTo: 40 }]);
    expect(runs.open).toBe(second);
  });

  it('end with the shell', () => {
    const { runs, prints } = started();
    const run = runs.add(factsOf('a'));
    prints(C);
    runs.exited(3, 50);
    expect(run.facts.place).toMatchObject({ exitCode: 3, outputTo: 50 });
  });

  it('forget one that was never typed', () => {
    const { runs } = started();
    runs.add(factsOf('a'));
    runs.forget('a');
    expect([runs.find('a'), runs.open]).toEqual([undefined, undefined]);
  });

  it('say of one that was dropped by whom, and never that it ended', () => {
    const { runs, prints } = started();
    const run = runs.add(factsOf('a'));
    runs.dropped('a', 'Ann');
    prints(`${C}${D}`);
    expect([run.facts.takenBy, run.facts.place.outputTo, run.hasEnded]).toEqual(['Ann', null, true]);
  });

  it('note that one may have been ended without a mark', () => {
    const { runs } = started();
    runs.interrupted();
    const run = runs.add(factsOf('a'));
    expect(run.isInterrupted).toBe(false);
    runs.interrupted();
    expect(run.isInterrupted).toBe(true);
  });
});

describe('[A1] [K2] the runs of an earlier process', () => {
  it(`are the ${RUNS_SAVED} newest`, () => {
    const world = started();
    for (let i = 0; i <= RUNS_SAVED; i++) world.ends(`${i}`);
    const next = started(world.runs.save());
    expect([next.runs.size, next.runs.find('0'), next.runs.find('1')?.facts.place.exitCode]).toEqual([
      RUNS_SAVED,
      undefined,
      3,
    ]);
  });

  it.each([
    ['before it began', 1],
    ['after it began', 2],
    ['after it ended', 3],
  ])('go on, with the same end: saved %s', (_, pieces) => {
    const text = ['ls\r\n', `${C}out`, `put${D}`, '$ '];
    const world = started();
    world.runs.add(factsOf('a'));
    for (const piece of text.slice(0, pieces)) world.prints(piece);
    // All output that is kept comes again.
    const next = started(world.runs.save());
    for (const piece of text) next.prints(piece);
    const run = next.runs.find('a');
    expect(run?.facts.place).toEqual({
      outputFrom: 4 + C.length,
      outputTo: 4 + C.length + 6,
      endsAt: 4 + C.length + 6 + D.length,
      exitCode: 3,
      number: 1,
    });
  });

  it('end although the mark of their begin is no longer kept', () => {
    const world = started();
    world.runs.add(factsOf('a'));
    world.prints(C);
    const next = new SessionRuns(() => 500, world.runs.save());
    next.printed(5_000_000, Buffer.from(`end${D}`));
    expect(next.find('a')?.facts).toMatchObject({
      durationMs: 400,
      place: { exitCode: 3, outputTo: 5_000_003 },
    });
  });
});
