/** What programs report of their work (OSC 9;4). */
import { describe, expect, it } from 'vitest';
import type { SessionProgress } from '../../../protocol/messages/session-info.ts';
import { progressOf } from '../../../vm-agent/screen/sequences/progress.ts';
import { world } from './screens.ts';

const running = (percent: number): SessionProgress => ({ state: 'running', percent });

describe('[T4] a report of progress', () => {
  it.each<[string, SessionProgress | null | undefined]>([
    ['4;0', null],
    ['4;0;', null],
    ['4;0;50', null],
    ['4;1;0', running(0)],
    ['4;1;42', running(42)],
    ['4;1;042;', running(42)],
    ['4;1;100', running(100)],
    ['4;1;999', running(100)],
    ['4;1', running(0)],
    ['4;1;', running(0)],
    ['4;2', { state: 'error' }],
    ['4;2;30', { state: 'error', percent: 30 }],
    ['4;3', { state: 'indeterminate' }],
    ['4;3;50', { state: 'indeterminate' }],
    ['4;4', { state: 'paused' }],
    ['4;4;60', { state: 'paused', percent: 60 }],
  ])('%j is understood', (payload, progress) => {
    expect(progressOf(payload)).toEqual(progress);
  });

  it.each([
    ...[
      '',
      '4',
      '4;',
      '4;5',
      '4;5;10',
      '4;-1',
      '4;11;5',
      '4;1;-5',
      '4;1;1e9',
      '4;1;1000',
      '4;1;5%',
      '4;1;5.5',
    ],
    ...['Build done', '4 files', '3;1;50', '14;1;50', ' 4;1;50', '4;1;50\n', `4;1;${'9'.repeat(50_000)}`],
  ])('%j is none', (payload) => {
    expect(progressOf(payload)).toBeUndefined();
  });
});

describe('[T4] a screen', () => {
  const report = (text: string) => `\x1b]9;${text}\x07`;

  function screen() {
    const w = world();
    const session = w.session();
    return (output: string) => {
      session.prints(output);
      w.thread.run();
      return session.log.splice(0);
    };
  }

  it('tells what the program reports, apart from its other messages in OSC 9', () => {
    const prints = screen();
    expect(prints(report('4;1;42'))).toEqual(['progress {"state":"running","percent":42}']);
    expect(prints(report('Build done'))).toEqual(['noticed "Build done"']);
    expect(prints(report('4;0'))).toEqual(['progress null']);
  });

  it('tells that a reset of the terminal ends it', () => {
    expect(screen()(`${report('4;3')}\x1bc`)).toEqual(['progress null']);
  });

  it('tells only the last of a thousand reports', () => {
    const reports = Array.from({ length: 1000 }, (_, n) => report(`4;1;${n % 100}`)).join('');
    expect(screen()(reports)).toEqual(['progress {"state":"running","percent":99}']);
  });
});
