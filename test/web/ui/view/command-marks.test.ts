/** What the page tells about a command, and when it offers to run it again. */
import { describe, expect, it } from 'vitest';
import type { CommandTime } from '../../../../web/ui/text/command-times.ts';
import { commandTimeText } from '../../../../web/ui/text/command-times.ts';
import { CommandMarks } from '../../../../web/ui/view/command-marks.ts';

const AT = { x: 8, y: 20 };
const MARK = { command: 1, at: AT };
const TIP = { tab: 'tab', ...MARK };
const STARTED = new Date(2026, 10, 17, 14, 2).toISOString();

interface Setting {
  readonly mayType?: boolean;
  readonly number?: number | null;
  readonly commandLine?: string | null;
  readonly isAtPrompt?: boolean;
  readonly isBracketed?: boolean;
  readonly foreground?: string | null;
  readonly state?: string;
}

/** A terminal with one command, what was typed into it, and how often its times were asked for. */
function page(setting: Setting = {}) {
  const { mayType = true, number = 7, commandLine = 'make', isAtPrompt = true, isBracketed = true } = setting;
  const { foreground = 'bash', state = 'live' } = setting;
  const typed: string[] = [];
  let asked = 0;
  const times = new Map<number, CommandTime>([[7, { startedAt: STARTED, durationMs: 3210 }]]);
  const command = { key: 1, number, commandLine, status: 'failed', exitCode: 2 };
  const screen = {
    isBracketed,
    marks: {
      isAtPrompt,
      command: (key: number) => (key === 1 ? command : null),
      run: (line: string) => typed.push(line),
    },
  };
  const session = { id: 'session', state: { name: state }, description: { title: null, foreground } };
  const marks = new CommandMarks({
    windowTabs: { mayType, flow: () => ({ session }) },
    screen: () => screen,
    commandTimes: async () => {
      asked++;
      return times;
    },
    changed: () => {},
    now: () => new Date(STARTED),
  } as unknown as ConstructorParameters<typeof CommandMarks>[0]);
  return { marks, typed, asked: () => asked };
}

describe('a command whose mark the user points at', () => {
  it('[T3] is told with its exit code, its duration and its time', async () => {
    const { marks } = page();
    marks.point('tab', MARK);
    expect(marks.tip).toEqual({ ...TIP, title: 'make', details: 'exit code 2' });
    await Promise.resolve();
    expect(marks.tip?.details).toBe('exit code 2 · took 3.2 s, at 14:02');
    marks.point('tab', null);
    expect(marks.tip).toBeNull();
  });

  it('[T3] is asked for once, until a command begins or ends', async () => {
    const { marks, asked } = page();
    for (let time = 0; time < 3; time++) {
      marks.point('tab', MARK);
      await Promise.resolve();
    }
    expect(asked()).toBe(1);
    marks.point('tab', null);
    marks.marked('tab');
    expect(asked()).toBe(1);
    marks.point('tab', MARK);
    expect(asked()).toBe(2);
  });

  it('[T3] has no time if its marks are not verified', async () => {
    const { marks } = page({ number: null });
    marks.point('tab', MARK);
    await Promise.resolve();
    expect(marks.tip?.details).toBe('exit code 2');
  });
});

describe('a command', () => {
  it('[T3] is run again at a verified prompt of a shell', () => {
    const { marks, typed } = page();
    marks.repeat(TIP);
    expect(typed).toEqual(['make']);
  });

  it.each<{ readonly what: string; readonly setting: Setting; readonly isOffered: boolean }>([
    { what: 'its marks are not verified', setting: { number: null }, isOffered: false },
    { what: 'its text is not known', setting: { commandLine: null }, isOffered: false },
    { what: 'the user may not type', setting: { mayType: false }, isOffered: false },
    { what: 'no prompt waits', setting: { isAtPrompt: false }, isOffered: true },
    { what: 'a program runs', setting: { foreground: 'vim' }, isOffered: true },
    { what: 'it is not known what runs', setting: { foreground: null }, isOffered: true },
    { what: 'the session is not connected', setting: { state: 'attaching' }, isOffered: true },
    {
      what: 'the shell would take its lines one by one',
      setting: { isBracketed: false, commandLine: 'a\nb' },
      isOffered: true,
    },
  ])('[T3] [SEC22] is not run again if $what', ({ setting, isOffered }) => {
    const { marks, typed } = page(setting);
    expect(marks.isRepeatable(TIP)).toBe(isOffered);
    expect(marks.canRepeat(TIP)).toBe(false);
    marks.repeat(TIP);
    expect(typed).toEqual([]);
  });
});

describe('the time of a command', () => {
  it.each([
    { durationMs: null, text: 'started at 14:02' },
    { durationMs: 4, text: 'took 4 ms, at 14:02' },
    { durationMs: 3210, text: 'took 3.2 s, at 14:02' },
    { durationMs: 42_000, text: 'took 42 s, at 14:02' },
  ])('[T3] is told as $text', ({ durationMs, text }) => {
    expect(commandTimeText({ startedAt: STARTED, durationMs }, new Date(STARTED))).toBe(text);
  });
});
