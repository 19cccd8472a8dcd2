/** The commands that marks tell of, in any order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COMMAND_LINE_MAX_CHARS,
  COMMAND_LINES_KEPT_MAX_CHARS,
  COMMANDS_KEPT,
} from '../../../protocol/limits.ts';
import { parseMark } from '../../../protocol/terminal/marks/mark.ts';
import { CommandLog } from '../../../vm-agent/commands/command-log.ts';
import {
  nextCommandNumber,
  type StoredCommands,
  storedList,
} from '../../../vm-agent/commands/stored-commands.ts';
import { checkProperty } from '../../support/property.ts';

const NONCE = 'our-nonce';
const START = Date.parse('2026-11-17T10:00:00.000Z');

/** A log that sees marks as they are written: `A`, `D;1`, `633;E;make`, and with `!` at the end, verified. */
class Story {
  readonly log: CommandLog;
  #offset = 0;
  #ms = 0;

  constructor(earlier?: StoredCommands, nonce: string | null = NONCE) {
    this.log = new CommandLog({ nonce, earlier });
  }

  /** Each mark has 10 bytes, and 90 bytes of output follow it within a second. */
  sees(...marks: readonly string[]): this {
    for (const text of marks) {
      const isVerified = text.endsWith('!');
      const written = isVerified ? `${text.slice(0, -1)};nonce=${NONCE}` : text;
      const mark = written.startsWith('633;') ? parseMark(633, written.slice(4)) : parseMark(133, written);
      if (mark === null) throw new Error(`${text} is no mark`);
      this.log.see({ mark, from: this.#offset, to: this.#offset + 10 }, this.#moment);
      this.#offset += 100;
      this.#ms += 1000;
    }
    return this;
  }

  exits(): this {
    this.log.exited(this.#offset, this.#moment);
    return this;
  }

  /** As `number: line, exit code, duration, [output]`, with `?` for what is unknown. */
  get told(): string[] {
    return this.log.commands.map(
      ({ number, commandLine, exitCode, durationMs, outputFrom, outputTo, verified }) =>
        [
          `${number}: ${commandLine ?? '?'}`,
          exitCode ?? '?',
          durationMs ?? '?',
          `[${outputFrom ?? '?'}, ${outputTo ?? '?'})${verified ? ' verified' : ''}`,
        ].join(', '),
    );
  }

  /** What a next life of the agent gets. */
  get stored(): StoredCommands {
    return { list: storedList(this.log.commands), nextNumber: this.log.nextNumber };
  }

  get #moment() {
    return { date: new Date(START + this.#ms), now: this.#ms };
  }
}

const seen = (...marks: readonly string[]) => new Story().sees(...marks).told;

describe('the log of commands', () => {
  it.each([
    ['a prompt, a command and its end', ['A', 'B', 'C', 'D;0'], ['1: ?, 0, 1000, [210, 300)']],
    ['a running one', ['A', 'C'], ['1: ?, ?, ?, [110, ?)']],
    ['the line of the script', ['C;cmdline_url=make%20all', 'D;2'], ['1: make all, 2, 1000, [10, 100)']],
    ['the line in 633;E', ['A', 'B', '633;E;make', 'C', 'D;0'], ['1: make, 0, 1000, [310, 400)']],
    [
      'the line of both: that of the mark itself',
      ['633;E;old', 'C;cmdline_url=new'],
      ['1: new, ?, ?, [110, ?)'],
    ],
    ['no line of an earlier prompt', ['633;E;old', 'A', 'C'], ['1: ?, ?, ?, [210, ?)']],
    [
      'no line that comes while it runs',
      ['C', '633;E;late', 'D;0', 'C'],
      ['1: ?, 0, 2000, [10, 200)', '2: ?, ?, ?, [310, ?)'],
    ],
    ['a missing D', ['A', 'C', 'A', 'C', 'D;1'], ['1: ?, ?, 1000, [110, 200)', '2: ?, 1, 1000, [310, 400)']],
    ['a second C', ['C', 'C'], ['1: ?, ?, 1000, [10, 100)', '2: ?, ?, ?, [110, ?)']],
    ['no command without a C', ['A', 'B', 'D;0', 'A', 'D;1'], []],
    ['doubled marks once', ['A', 'A', 'C', 'D;3', 'D;4', 'A', 'A'], ['1: ?, 3, 1000, [210, 300)']],
    ['a D without an exit code', ['C', 'D'], ['1: ?, ?, 1000, [10, 100)']],
    ['no D of another command', ['C;n=7!', 'D;1;n=6!', 'D;2;n=7!'], ['7: ?, 2, 2000, [10, 200) verified']],
  ])('[T3] tells of %s', (_, marks, told) => {
    expect(seen(...marks)).toEqual(told);
  });

  it('[T3] ends the running command with the program', () => {
    expect(new Story().sees('C').exits().told).toEqual(['1: ?, ?, 1000, [10, 100)']);
    expect(new Story().sees('C', 'D;1').exits().told).toEqual(['1: ?, 1, 1000, [10, 100)']);
  });

  it('[T3] tells when a command started', () => {
    expect(new Story().sees('A', 'C').log.commands[0]?.startedAt).toBe('2026-11-17T10:00:01.000Z');
  });

  describe('[T3] once a mark was verified', () => {
    it('ignores all others', () => {
      const marks = ['A!', 'C;n=1;cmdline_url=make!', 'D;0', 'A', 'C;cmdline_url=fake', 'D;9', 'D;2;n=1!'];
      expect(seen(...marks)).toEqual(['1: make, 2, 5000, [110, 600) verified']);
    });

    it('ends the command that an unverified mark has begun', () => {
      expect(seen('C;cmdline_url=fake', 'D;0;n=1!')).toEqual(['1: fake, ?, 1000, [10, 100)']);
      expect(seen('633;E;fake', 'C;n=1!')).toEqual(['1: ?, ?, ?, [110, ?) verified']);
    });

    it('does not take another nonce, or an empty one, for ours', () => {
      expect(seen('C;nonce=other', 'D;0;nonce=')).toEqual(['1: ?, 0, 1000, [10, 100)']);
      expect(new Story(undefined, null).sees('C!').told).toEqual(['1: ?, ?, ?, [10, ?)']);
    });

    it('also ignores them after a restart', () => {
      const { stored } = new Story().sees('C;n=4!', 'D;0;n=4!');
      const next = new Story(stored).sees('C', 'D;0');
      expect(next.told).toEqual(['4: ?, 0, 1000, [?, ?) verified']);
    });
  });

  describe('[T3] numbers', () => {
    it('are those of the script, and the next one for others', () => {
      expect(
        seen('C;n=5', 'D;0;n=5').map((told) => told.slice(0, 2)),
        'not believed',
      ).toEqual(['1:']);
      const numbers = new Story().sees('C', 'C', 'C;n=9!', 'C!').log.commands.map(({ number }) => number);
      expect(numbers).toEqual([1, 2, 9, 10]);
    });

    it('do not repeat, although a mark does', () => {
      const story = new Story().sees('C;n=3!', 'D;0;n=3!', 'C;n=3!', 'D;1;n=3!');
      expect(story.log.commands.map(({ number, exitCode }) => [number, exitCode])).toEqual([
        [3, 0],
        [4, 1],
      ]);
    });

    it('continue after a restart', () => {
      const { stored } = new Story().sees('C;n=7!', 'D;0;n=7!');
      expect(nextCommandNumber(stored)).toBe(8);
      expect(nextCommandNumber(undefined)).toBe(1);
      const after = new Story(stored).sees('C;n=8!').log;
      expect(after.commands.map(({ number }) => number)).toEqual([7, 8]);
      expect(after.find(7)).toMatchObject({ outputFrom: null, exitCode: 0 });
      expect(after.find(9)).toBeUndefined();
    });
  });

  it(`[T3] keeps the last ${COMMANDS_KEPT} commands, and forgets the one before them`, () => {
    const story = new Story();
    for (let i = 0; i < COMMANDS_KEPT; i++) story.sees('C', 'D;0');
    expect(story.log.find(1)).toBeDefined();
    story.sees('C');
    expect(story.log.commands).toHaveLength(COMMANDS_KEPT);
    expect([story.log.find(1), story.log.commands[0]?.number]).toEqual([undefined, 2]);
  });

  it('[T3] keeps the text of the newest if all together are too long', () => {
    const story = new Story();
    const fitting = COMMAND_LINES_KEPT_MAX_CHARS / COMMAND_LINE_MAX_CHARS;
    const long = `C;cmdline_url=${'x'.repeat(COMMAND_LINE_MAX_CHARS)}`;
    for (let i = 0; i < fitting; i++) story.sees(long, 'D;0');
    const without = () => story.log.commands.filter(({ commandLine }) => commandLine === null).length;
    expect(without()).toBe(0);
    story.sees('C;cmdline_url=x', 'D;0');
    expect([without(), story.log.commands.at(-1)?.commandLine]).toEqual([1, 'x']);
    expect(story.log.commands[0]).toMatchObject({ number: 1, commandLine: null, exitCode: 0 });
  });

  it('[T3] is consistent after marks in any order', () => {
    const kinds = [
      'A',
      'B',
      'C',
      'D;0',
      'D',
      'D;1;n=2',
      'C;n=2',
      'C;n=999999999',
      '633;E;line',
      'C;cmdline_url=x',
    ];
    const mark = fc
      .tuple(fc.constantFrom(...kinds), fc.boolean())
      .map(([text, isOurs]) => `${text}${isOurs ? '!' : ''}`);
    checkProperty(
      'command-log',
      fc.property(fc.array(mark, { maxLength: 60 }), (marks) => {
        const { log } = new Story().sees(...marks);
        const all = log.commands;
        for (const [i, { durationMs, exitCode, number, outputFrom, outputTo, verified }] of all.entries()) {
          const next = all[i + 1];
          const isRunning = outputTo === null;
          expect(isRunning, 'only the last one runs').toBe(isRunning && next === undefined);
          expect(durationMs === null).toBe(isRunning);
          if (isRunning) expect(exitCode).toBeNull();
          expect(outputFrom).toBeLessThanOrEqual(outputTo ?? Number.POSITIVE_INFINITY);
          if (next === undefined) continue;
          expect(number).toBeLessThan(next.number);
          expect(outputTo).toBeLessThanOrEqual(next.outputFrom ?? 0);
          if (verified) expect(next.verified).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
