/** What is noticed of a session that nobody looks at. */
import { describe, expect, it } from 'vitest';
import type { SessionCommand } from '../../../protocol/messages/command-info.ts';
import { QUIET_BEFORE_GUESS_MS } from '../../../vm-agent/attention/quiet-watch.ts';
import { SessionNotices, STORE_EVERY_MS } from '../../../vm-agent/attention/session-notices.ts';
import type { SavedAttention } from '../../../vm-agent/disk/metadata.ts';
import type { InputWait } from '../../../vm-agent/pty/waiting-for-input.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const READS: InputWait = {
  waits: true,
  echoOff: false,
  takesLines: true,
  program: 'apt',
  isOwnShell: false,
};
const WORKS: InputWait = { ...READS, waits: false, program: null };

class Story {
  readonly clock = new FakeClock();
  readonly stored: SavedAttention[] = [];
  readonly told: (string | null)[] = [];
  readonly session = {
    end: 0,
    pid: 7,
    exit: null,
    isFullScreen: false,
    commands: { isRunning: true },
  };
  looks = 0;
  wait: InputWait = WORKS;
  readonly notices: SessionNotices;

  constructor(saved?: SavedAttention) {
    this.notices = new SessionNotices({
      clock: this.clock,
      today: () => new Date(this.clock.now()),
      saved,
      start: 0,
      lookForWait: async () => {
        this.looks++;
        return this.wait;
      },
      session: this.session,
      changed: () => this.told.push(this.notices.described.attention?.text ?? null),
      store: (kept) => this.stored.push(kept),
    });
  }

  prints(text: string): void {
    const bytes = Buffer.from(text);
    this.session.end += bytes.length;
    this.notices.printed(this.session.end - bytes.length, bytes);
  }

  async passes(ms: number): Promise<void> {
    this.clock.advance(ms);
    // Looking takes a moment.
    await Promise.resolve();
    await Promise.resolve();
  }

  ends(exitCode: number, durationMs = 20_000): void {
    const command: SessionCommand = {
      number: 1,
      commandLine: 'make',
      startedAt: '2026-01-01T00:00:00.000Z',
      durationMs,
      exitCode,
      outputFrom: 0,
      outputTo: this.session.end,
      verified: true,
    };
    this.notices.commandEnded(command);
  }
}

describe('[A4] [AS6] a session that nobody looks at', () => {
  it('is noticed when its program says something, or rings the bell', () => {
    const story = new Story();
    story.notices.noticed({ text: '', isLow: false, offset: 3 });
    expect(story.notices.described.attention).toMatchObject({ state: 'asks', text: '', offset: 3 });
    story.notices.noticed({ text: 'May I?', isLow: false, offset: 9 });
    expect(story.notices.described.attention).toMatchObject({ state: 'asks', text: 'May I?', offset: 9 });
  });

  it('is told about, if that is all the program wants', () => {
    const story = new Story();
    story.notices.noticed({ text: 'by the way', isLow: true, offset: 9 });
    expect(story.notices.described.attention).toMatchObject({ state: 'done', text: 'by the way' });
  });

  it('is noticed when a long command ends, and not when a short one does', () => {
    const story = new Story();
    story.ends(1, 9_999);
    expect(story.notices.described).toEqual({});
    story.prints('x');
    story.ends(1);
    expect(story.notices.described.attention).toMatchObject({ state: 'failed', text: 'make (exit 1, 20 s)' });
  });

  it('is noticed when its program ends', () => {
    const story = new Story();
    story.prints('bye');
    story.notices.exited({ code: 3, signal: null });
    expect(story.notices.described.attention).toMatchObject({ state: 'failed', offset: 3 });
    expect(story.clock.pending, 'only what is stored is left').toBe(1);
  });

  it('wants nothing while a person looks', () => {
    const story = new Story();
    story.notices.look(true);
    story.notices.noticed({ text: 'May I?', isLow: false, offset: 9 });
    story.ends(1);
    story.notices.exited({ code: 1, signal: null });
    expect([story.notices.described, story.told]).toEqual([{}, []]);
  });
});

describe('[A4] [AS6] a program that seems to wait', () => {
  it('is guessed once it has printed something and then nothing for a moment', async () => {
    const story = new Story();
    story.wait = READS;
    story.prints('Go on? [Y/n] ');
    await story.passes(QUIET_BEFORE_GUESS_MS - 1);
    expect(story.looks).toBe(0);
    await story.passes(1);
    expect(story.notices.described.attention).toMatchObject({
      state: 'asks',
      text: 'apt waits for input',
      offset: 13,
      guessed: true,
    });
  });

  it('is looked at once for a burst, and never while the session is idle', async () => {
    const story = new Story();
    await story.passes(3_600_000);
    expect([story.looks, story.clock.pending]).toEqual([0, 0]);
    for (let i = 0; i < 100; i++) {
      story.prints('x');
      await story.passes(QUIET_BEFORE_GUESS_MS / 2);
    }
    expect(story.looks).toBe(0);
    await story.passes(QUIET_BEFORE_GUESS_MS);
    await story.passes(3_600_000);
    expect([story.looks, story.clock.pending]).toEqual([1, 0]);
  });

  it('is not looked at if a person has seen what it printed', async () => {
    const story = new Story();
    story.wait = READS;
    story.notices.look(true);
    story.prints('Go on? ');
    story.notices.look(false);
    await story.passes(3_600_000);
    story.prints('Go on? ');
    story.notices.look(true);
    story.notices.look(false);
    await story.passes(3_600_000);
    expect([story.looks, story.notices.described]).toEqual([0, {}]);
  });

  it.each<[string, Partial<InputWait>, string]>([
    ['that ends its lines, as a server does', {}, 'listening\n'],
    ['that does not read', { waits: false }, 'working '],
  ])('is none %s', async (_, wait, output) => {
    const story = new Story();
    story.wait = { ...READS, ...wait };
    story.prints(output);
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect([story.looks, story.notices.described]).toEqual([1, {}]);
  });

  it('may end its lines if it takes single keys', async () => {
    const story = new Story();
    story.wait = { ...READS, takesLines: false };
    story.prints('> yes\n  no\n');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect(story.notices.described.attention?.guessed).toBe(true);
  });

  it('is no program that draws the whole screen', async () => {
    const story = new Story();
    story.wait = READS;
    story.session.isFullScreen = true;
    story.prints('~');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect([story.looks, story.notices.described]).toEqual([0, {}]);
  });

  it('is the shell itself only while a command runs', async () => {
    const story = new Story();
    story.wait = { ...READS, isOwnShell: true };
    story.session.commands.isRunning = false;
    story.prints('$ ');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect(story.notices.described).toEqual({});
    story.session.commands.isRunning = true;
    story.prints('name? ');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect(story.notices.described.attention?.guessed).toBe(true);
  });

  it('waits no more when it goes on, or when its command ends', async () => {
    const story = new Story();
    story.wait = READS;
    story.prints('Go on? ');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    story.wait = WORKS;
    story.prints('yes\r\n');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect(story.told).toEqual(['apt waits for input', null]);
    story.wait = READS;
    story.prints('Go on? ');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    story.ends(0, 100);
    expect(story.told).toEqual(['apt waits for input', null, 'apt waits for input', null]);
  });

  it('is not noted if it has printed more by the time it was looked at', async () => {
    const story = new Story();
    story.wait = READS;
    story.prints('Go on? ');
    story.clock.advance(QUIET_BEFORE_GUESS_MS);
    story.prints('Never mind. ');
    await Promise.resolve();
    await Promise.resolve();
    expect(story.notices.described).toEqual({});
  });

  it('does not hide what a program has said', async () => {
    const story = new Story();
    story.wait = READS;
    story.notices.noticed({ text: 'May I?', isLow: false, offset: 1 });
    story.prints('> ');
    await story.passes(QUIET_BEFORE_GUESS_MS);
    expect(story.notices.described.attention?.text).toBe('May I?');
  });
});

describe('[A4] what was noticed', () => {
  it('is stored at once, and not for each of many notices', () => {
    const story = new Story();
    for (let i = 1; i <= 100; i++) story.notices.noticed({ text: `${i}`, isLow: false, offset: i });
    const first = { current: { text: '1' }, noticesTo: 1 };
    expect(story.stored, 'at once').toMatchObject([first]);
    story.clock.advance(STORE_EVERY_MS);
    expect(story.stored).toMatchObject([first, { current: { text: '100' }, noticesTo: 100 }]);
    story.clock.advance(60_000);
    expect([story.stored.length, story.clock.pending]).toEqual([2, 0]);
  });

  it('is kept by the next agent process, which does not notice the same again', () => {
    const story = new Story();
    story.prints('make: failed');
    story.ends(2);
    story.notices.exited({ code: 1, signal: null });
    story.clock.advance(STORE_EVERY_MS);
    const saved = story.stored.at(-1);
    const next = new Story(saved);
    expect(next.notices.described.attention?.text).toBe('Ended with exit code 1');
    next.notices.look(true);
    next.notices.look(false);
    next.session.end = story.session.end;
    next.ends(2);
    next.notices.exited({ code: 1, signal: null });
    expect(next.notices.described).toEqual({});
  });

  it('does not hide what comes later', () => {
    const story = new Story({ current: null, noticesTo: 5, commandsTo: 5 });
    story.prints('123456');
    story.ends(2);
    expect(story.notices.described.attention?.state).toBe('failed');
  });
});
