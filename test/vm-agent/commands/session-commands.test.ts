/** The commands in a program's output, with the time at which they are read. */
import { describe, expect, it } from 'vitest';
import { MARKS_PER_S_MAX } from '../../../protocol/limits.ts';
import { SessionCommands } from '../../../vm-agent/commands/session-commands.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const NONCE = 'our-nonce';

function story() {
  const clock = new FakeClock();
  const commands = new SessionCommands({ clock, nonce: NONCE, earlier: undefined });
  let offset = 0;
  const prints = (text: string) => {
    const bytes = Buffer.from(text);
    commands.printed(offset, bytes);
    offset += bytes.length;
  };
  return { clock, commands, prints };
}

const RUN = '\x1b]133;C\x07\x1b]133;D;0\x07';

describe('[T3] marks in the output of a session', () => {
  it('tell durations by a clock that does not jump', () => {
    const { clock, commands, prints } = story();
    prints('\x1b]133;C\x07');
    clock.advance(1500);
    prints('done\n\x1b]133;D;1\x07');
    expect(commands.list).toMatchObject([{ durationMs: 1500, exitCode: 1, outputFrom: 8, outputTo: 13 }]);
  });

  it('are skipped if they are a flood, until time has passed', () => {
    const { clock, commands, prints } = story();
    prints(RUN.repeat(MARKS_PER_S_MAX));
    expect(commands.list.at(-1)?.number, 'two marks each').toBe(MARKS_PER_S_MAX / 2);
    clock.advance(1000);
    prints(RUN);
    expect(commands.list.at(-1)?.number).toBe(MARKS_PER_S_MAX / 2 + 1);
  });

  it('are not skipped in a flood if they are ours', () => {
    const { commands, prints } = story();
    prints(`${RUN.repeat(MARKS_PER_S_MAX)}\x1b]133;A;nonce=${NONCE}\x07`);
    const before = commands.list.length;
    prints(`\x1b]133;C;nonce=${NONCE};n=9999\x07${RUN.repeat(10)}\x1b]133;D;3;nonce=${NONCE};n=9999\x07`);
    expect(commands.list.at(-1)).toMatchObject({ number: 9999, exitCode: 3, verified: true });
    expect(commands.list).toHaveLength(before);
    expect(commands.list.at(-2)?.verified, 'those of the flood were not taken').toBe(false);
  });
});
