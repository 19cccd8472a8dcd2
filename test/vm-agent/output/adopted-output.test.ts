/** A new agent draws what was printed before it, but nobody waits for that, and its program not for ever. */
import { describe, expect, it } from 'vitest';
import { SessionOutput } from '../../../vm-agent/output/session-output.ts';
import { CATCH_UP_WITHIN_MS } from '../../../vm-agent/screen/limits.ts';
import { Terminal } from '../../../vm-agent/terminal/terminal.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakePty } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';

const SIZE = { cols: 80, rows: 24 };

/** The keeper has ten bytes that this agent has not read yet; the screen was left before them. */
function adopted() {
  const clock = new FakeClock();
  const { openScreen, screens } = fakeScreens();
  let pty: FakePty | undefined;
  const terminal = new Terminal(
    { command: 'sh', args: [], cwd: '/', env: {}, size: SIZE },
    {
      spawn: (spec, events) => {
        pty = new FakePty(spec, events);
        return pty;
      },
      clock,
      historyBytes: 4096,
      adopted: { start: 0, ledger: [] },
    },
  );
  const froms: unknown[] = [];
  const output = new SessionOutput({
    terminal,
    clock,
    windowOf: () => {
      throw new Error('nobody is attached');
    },
    events: { output() {}, resized() {}, marked() {} } as never,
    openScreen: (size, options) => {
      froms.push(options.from);
      return openScreen(size, options);
    },
    widths: '17',
    screenEvents: { answer() {}, title() {}, progress() {}, cwd() {} },
    keep: () => ({ append() {}, resized() {}, update() {}, remove() {} }),
    adopted: { end: 10, screen: { offset: 0, size: SIZE, drawing: new Uint8Array(0), silentUntil: 10 } },
    passedOn() {},
    resized() {},
    ended() {},
  });
  return { clock, output, pty: pty as unknown as FakePty, screens, froms };
}

describe('output from before this agent', () => {
  it('[K6] [F26] [F27] is read although its screen has too much to draw; what follows waits', () => {
    const { output, pty, screens } = adopted();
    pty.prints('old');
    screens[0]?.events.full(true);
    expect(pty.paused).toBe(false);
    pty.prints(' output');
    output.flush();
    expect(pty.paused).toBe(true);
    screens[0]?.events.full(false);
    expect(pty.paused).toBe(false);
  });

  it('[K6] [X22] [SEC8] is not drawn any more after a while, so that its program does not wait for a screen that is slow to parse', () => {
    const { clock, output, pty, screens, froms } = adopted();
    const [old] = screens;
    if (old !== undefined) old.isSlow = true;
    pty.prints('old output');
    old?.events.full(true);
    clock.advance(CATCH_UP_WITHIN_MS - 1);
    pty.prints(' and new');
    expect([pty.paused, screens.length]).toEqual([true, 1]);
    clock.advance(1);
    expect([pty.paused, old?.closed]).toEqual([false, true]);
    expect(froms[1]).toMatchObject({ offset: 18, silentUntil: 18 });
    pty.resize({ cols: 100, rows: 30 });
    pty.prints('next');
    expect(output.screen).toBe(screens[1]);
    expect(screens[1]).toMatchObject({ text: 'next', size: { cols: 100, rows: 30 } });
  });

  it('[K6] is drawn as a whole if it is drawn in time', () => {
    const { clock, pty, screens } = adopted();
    pty.prints('old output');
    clock.advance(CATCH_UP_WITHIN_MS);
    pty.prints('new');
    expect(screens).toHaveLength(1);
    expect(screens[0]?.text).toBe('old outputnew');
  });

  it('[K6] is not waited for once the session is closed', () => {
    const { clock, output, screens } = adopted();
    output.dispose();
    clock.advance(CATCH_UP_WITHIN_MS);
    expect(screens).toHaveLength(1);
  });
});
