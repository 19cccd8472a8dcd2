/** How programs call a person: OSC 9, 99 and 777, and the bell. */
import { describe, expect, it } from 'vitest';
import { ATTENTION_TEXT_MAX_CHARS } from '../../../protocol/limits.ts';
import { NOTICES_PER_SLICE_MAX } from '../../../vm-agent/screen/limits.ts';
import { KittyNotices, noticeIn9, noticeIn777 } from '../../../vm-agent/screen/sequences/notices.ts';
import { world } from './screens.ts';

describe('[A4] [AS6] a notice', () => {
  it.each([
    ['Build done', 'Build done'],
    ['3 tests failed', '3 tests failed'],
    ['12 files; 3 errors', '12 files; 3 errors'],
    ['  a\u202eb\x1bc\n ', 'abc'],
    ['x'.repeat(5000), 'x'.repeat(ATTENTION_TEXT_MAX_CHARS)],
  ])('in OSC 9 is a text: %j', (payload, text) => {
    expect(noticeIn9(payload)).toEqual({ text, isLow: false });
  });

  it.each(['', ' ', '4;1;50', '4', '9;/home/ann', '12;x', '1;1000'])(
    'in OSC 9 is not a command of ConEmu, nor nothing: %j',
    (payload) => {
      expect(noticeIn9(payload)).toBeNull();
    },
  );

  it.each([
    ['notify;Claude;needs your permission; now', 'Claude: needs your permission; now'],
    ['notify;Done', 'Done'],
    ['notify;;only a body', 'only a body'],
  ])('in OSC 777 has a title and a body: %j', (payload, text) => {
    expect(noticeIn777(payload)).toEqual({ text, isLow: false });
  });

  it.each(['notify', 'notify;', 'notify;;', 'precmd;x', ''])('in OSC 777 is none: %j', (payload) => {
    expect(noticeIn777(payload)).toBeNull();
  });
});

describe('[A4] [AS6] a notice of kitty', () => {
  const read = (...payloads: string[]) => {
    const notices = new KittyNotices();
    return payloads.map((payload) => notices.read(payload)).filter((notice) => notice !== null);
  };

  it.each([
    ['a title alone', [';Hello'], 'Hello'],
    ['a title and a body', ['i=1:d=0;Hello', 'i=1:p=body;world'], 'Hello: world'],
    ['a title in parts', ['i=1:d=0;Hel', 'i=1:d=0;lo', 'i=1:d=1;!'], 'Hello!'],
    ['base64', [`e=1;${Buffer.from('häßlich').toString('base64')}`], 'häßlich'],
    ['a body that is finished by nothing', ['i=a:d=0:p=body;x', 'i=a:d=1;'], 'x'],
  ])('%s', (_, payloads, text) => {
    expect(read(...payloads)).toEqual([{ text, isLow: false }]);
  });

  it('says whether it is urgent', () => {
    expect(read('u=0;by the way', 'u=2;now')).toEqual([
      { text: 'by the way', isLow: true },
      { text: 'now', isLow: false },
    ]);
  });

  it.each([
    ['a question', ['i=1:p=?;']],
    ['an icon', ['i=1:p=icon:e=1;AAAA']],
    ['to be closed', ['i=1:p=close;']],
    ['unfinished', ['i=1:d=0;Hello']],
    ['one without keys', ['Hello']],
    ['nothing', [';']],
  ])('%s is none', (_, payloads) => {
    expect(read(...payloads)).toEqual([]);
  });

  it('does not mix two, and keeps only one unfinished', () => {
    expect(read('i=1:d=0;one ', 'i=2:d=0;two ', 'i=1;more')).toEqual([{ text: 'more', isLow: false }]);
  });

  it('keeps a bounded part of what never ends', () => {
    const notices = new KittyNotices();
    for (let part = 0; part < 1000; part++) notices.read(`i=1:d=0;${'x'.repeat(1000)}`);
    expect(notices.read('i=1;')?.text).toHaveLength(ATTENTION_TEXT_MAX_CHARS);
    expect(notices.read(`${'k=v:'.repeat(1000)};x`)).toBeNull();
  });
});

describe('[A4] a screen', () => {
  const osc = (text: string) => `\x1b]${text}\x07`;

  it('tells every kind of notice, and the bell', () => {
    const w = world();
    const session = w.session();
    session.prints(`${osc('9;one')}${osc('99;;two')}${osc('777;notify;three')}${osc('9;4;1;50')}\x07`);
    w.thread.run();
    expect(session.log).toEqual([
      'noticed "one"',
      'noticed "two"',
      'noticed "three"',
      'progress {"state":"running","percent":50}',
      'bell',
      'noticed ""',
    ]);
  });

  it('tells the first few of a thousand, and the last', () => {
    const w = world();
    const session = w.session();
    session.prints(Array.from({ length: 1000 }, (_, n) => osc(`9;n${n}`)).join(''));
    w.thread.run();
    expect(session.log.length).toBeLessThanOrEqual(w.thread.slices * NOTICES_PER_SLICE_MAX);
    expect(session.log.at(-1)).toBe('noticed "n999"');
  });

  it('does not tell again what another agent process has told, and tells what none has', () => {
    const w = world();
    const old = osc('9;old');
    const session = w.session({
      from: { offset: 0, drawing: new Uint8Array(0), silentUntil: 1000, noticedUntil: old.length },
    });
    session.prints(`${old}${osc('9;new')}\x1b[c`);
    w.thread.run();
    expect(session.log, 'and no query is answered').toEqual(['noticed "new"']);
  });

  it('tells nothing again if it is not known what was told', () => {
    const w = world();
    const old = osc('9;old');
    const session = w.session({
      from: { offset: 0, drawing: new Uint8Array(0), silentUntil: old.length },
    });
    session.prints(`${old}${osc('9;new')}`);
    w.thread.run();
    expect(session.log).toEqual(['noticed "new"']);
  });

  it('knows whether a program draws all of it', () => {
    const w = world();
    const session = w.session();
    const then = (output: string) => {
      session.prints(output);
      w.thread.run();
      return session.screen.isAlternate;
    };
    expect([then('$ vi'), then('\x1b[?1049h'), then('~'), then('\x1b[?1049l')]).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
