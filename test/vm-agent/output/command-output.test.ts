/** Which bytes of the ring are drawn as a command's output. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../node/system-clock.ts';
import type { Refusal } from '../../../protocol/errors.ts';
import {
  COMMAND_OUTPUT_DRAWN_WITHIN_MS,
  COMMAND_OUTPUT_MAX_BYTES,
  COMMAND_OUTPUT_MAX_CELLS,
  COMMAND_OUTPUT_MAX_LINES,
} from '../../../protocol/limits.ts';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import { OLD_WIDTHS } from '../../../protocol/terminal/width/old-widths.ts';
import { drawOutput } from '../../../vm-agent/output/command-output.ts';
import type { OpenScreen } from '../../../vm-agent/output/session-output.ts';
import { ScreenPool } from '../../../vm-agent/screen/pool.ts';
import { RingBuffer } from '../../../vm-agent/terminal/ring-buffer.ts';
import { SizeHistory } from '../../../vm-agent/terminal/size-history.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fakeScreens } from '../../support/fake-screen.ts';

function world(printed: string, ringBytes = 1000, cols = 10) {
  const clock = new FakeClock();
  const { openScreen, screens } = fakeScreens();
  const ring = new RingBuffer(ringBytes);
  const sizes = new SizeHistory({ cols, rows: 5 });
  ring.write(Buffer.from(printed));
  const draws = (outputFrom: number | null, outputTo: number | null) => {
    const command = { outputFrom, outputTo } as SessionCommand;
    return drawOutput(command, 'text', { terminal: { ring, sizes }, openScreen, widths: 'w', clock });
  };
  /** What is drawn, and how much is left out before it; or the refusal. */
  const drawn = async (
    outputFrom: number | null,
    outputTo: number | null,
  ): Promise<readonly [text?: string, lost?: number] | string> => {
    try {
      const { lost } = await draws(outputFrom, outputTo);
      return [screens.at(-1)?.text ?? '', lost];
    } catch (error) {
      return (error as Refusal).code;
    }
  };
  return { clock, ring, screens, sizes, draws, drawn };
}

describe('[T3] the output of a command', () => {
  it('is what was printed between its marks', async () => {
    const { drawn, ring } = world('$ out\nput\n$ ');
    expect(await drawn(2, 10)).toEqual(['out\nput\n', 0]);
    expect(await drawn(2, null), 'up to now').toEqual(['out\nput\n$ ', 0]);
    expect(await drawn(5, 5), 'nothing').toEqual(['', 0]);
    ring.write(Buffer.alloc(1000));
    expect(await drawn(5, 5), 'nothing cannot be gone').toEqual(['', 0]);
  });

  it('tells the offset of its end, and closes its terminal', async () => {
    const { draws, screens } = world('$ out\n$ ');
    const { taken } = await draws(2, 6);
    expect(taken).toMatchObject({ offset: 6, size: { cols: 10, rows: 5 } });
    expect(screens.map(({ closed }) => closed)).toEqual([true]);
  });

  it('begins with a whole line if the beginning is gone', async () => {
    const { drawn } = world('gone\nhalf\nkept\n', 8);
    expect(await drawn(0, 15)).toEqual(['kept\n', 10]);
    expect(await drawn(0, 12), 'the end of a line is better than nothing').toEqual(['ke', 10]);
    expect(await world('without an end', 8).drawn(0, 14)).toEqual(['t an end', 6]);
  });

  it('is gone if nothing is held, or if it was printed in an earlier life', async () => {
    const { drawn } = world('gone\nheld\n', 5);
    expect(await drawn(0, 5)).toBe('output_gone');
    expect(await drawn(null, null)).toBe('output_gone');
    expect(await drawn(5, 10)).toEqual(['held\n', 0]);
  });

  it('loses its first lines if it has too many, counting wrapped ones', async () => {
    const short = `${'x\n'.repeat(COMMAND_OUTPUT_MAX_LINES - 1)}`;
    expect(await world(short, 1_000_000).drawn(0, short.length)).toEqual([short, 0]);
    const one = `first\n${short}`;
    expect(await world(one, 1_000_000).drawn(0, one.length)).toEqual([short, 6]);
    const wrapped = `first\n${'y'.repeat(11)}\n${short.slice(4)}`;
    expect(await world(wrapped, 1_000_000).drawn(0, wrapped.length)).toEqual([wrapped.slice(6), 6]);
  });

  it.each([
    { name: 'wide', cols: 1000, changed: [] },
    { name: 'widened', cols: 10, changed: [1000] },
  ])('[X20] loses lines in a $name terminal, whose cells would take too much memory', async (terminal) => {
    const { drawn, sizes } = world('\n'.repeat(10_000), 20_000, terminal.cols);
    for (const cols of terminal.changed) sizes.record(9_000, { cols, rows: 5 });
    const most = Math.floor(COMMAND_OUTPUT_MAX_CELLS / 1000);
    expect(await drawn(0, 10_000)).toEqual(['\n'.repeat(most - 1), 10_001 - most]);
  });

  it('loses its beginning if it is too long', async () => {
    const line = `${'x'.repeat(1022)}\n`;
    const long = line.repeat(2000);
    const cols = 2000;
    const [text, lost] = (await world(long, 4 * COMMAND_OUTPUT_MAX_BYTES, cols).drawn(0, long.length)) as [
      string,
      number,
    ];
    const lines = Math.floor(COMMAND_OUTPUT_MAX_BYTES / line.length);
    expect([text.length, lost]).toEqual([lines * line.length, (2000 - lines) * line.length]);
  });

  it('is drawn at the sizes that the terminal had', async () => {
    const { draws, screens, sizes } = world('$ wide\nnarrow\n$ ');
    sizes.record(7, { cols: 20, rows: 6 });
    sizes.record(15, { cols: 30, rows: 7 });
    await draws(2, 14);
    expect(screens[0]).toMatchObject({ text: 'wide\nnarrow\n', size: { cols: 20, rows: 6 } });
  });

  it('is given up if drawing takes too long', async () => {
    const { clock, draws, screens } = world('slow\n');
    const outcome = draws(0, 5).then(
      () => 'drawn',
      (refusal: Refusal) => refusal.code,
    );
    const [screen] = screens;
    if (screen === undefined) throw new Error('nothing is drawn');
    clock.advance(COMMAND_OUTPUT_DRAWN_WITHIN_MS - 1);
    expect(screen.closed).toBe(false);
    clock.advance(1);
    expect([screen.closed, await outcome]).toEqual([true, 'bad_request']);
  });

  it('does not keep other screens waiting if it is hostile', async () => {
    await using screens = new DisposablePool({ clock: systemClock });
    const clock = new FakeClock();
    const ring = new RingBuffer(256 * 1024);
    // A terminal that is reset all the time: these take half a minute.
    ring.write(Buffer.from('\x1bc'.repeat(128 * 1024)));
    const terminal = { ring, sizes: new SizeHistory({ cols: 80, rows: 24 }) };
    const openScreen: OpenScreen = (size, options) =>
      screens.open(size, { scrollbackLines: 100, ...options });
    const command = { outputFrom: 0, outputTo: ring.end } as SessionCommand;
    let outcome = 'pending';
    const drawing = drawOutput(command, 'text', { terminal, openScreen, widths: OLD_WIDTHS, clock }).then(
      () => {
        outcome = 'drawn';
      },
      (refusal: Refusal) => {
        outcome = refusal.code;
      },
    );
    const events = { answer() {}, title() {}, progress() {}, cwd() {}, bell() {}, full() {}, rebuilt() {} };
    const other = screens.open({ cols: 80, rows: 24 }, { scrollbackLines: 100, events });
    other.write(0, Buffer.from('hello'));
    expect(await other.snapshot({ format: 'text', scope: 'all', atLeast: 5 })).toMatchObject({ offset: 5 });
    expect(outcome).toBe('pending');
    clock.advance(COMMAND_OUTPUT_DRAWN_WITHIN_MS);
    await drawing;
    expect(outcome).toBe('bad_request');
  });
});

class DisposablePool extends ScreenPool {
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
