import { describe, expect, it } from 'vitest';
import { readPushNote } from '../../../../protocol/messages/push-note.ts';
import {
  addressOf,
  notificationOf,
  pagesAt,
  readShowSession,
  windowToShow,
} from '../../../../web/ui/push/notification.ts';

const NOTE = {
  workspace: 'local',
  session: 's1',
  name: 'build',
  state: 'asks',
  text: 'May I?',
  at: '2026-11-18T09:00:00.000Z',
} as const;

describe('a notification', () => {
  it.each([
    ['asks', 'build wants an answer'],
    ['done', 'build is done'],
    ['failed', 'build has failed'],
  ] as const)('[A5] of a session that %s has the title %j', (state, title) => {
    expect(notificationOf({ ...NOTE, state })).toEqual({ title, body: 'May I?', tag: 'holdfast-s1' });
  });

  it('[A5] is made of a note that is whole, and of nothing else', () => {
    expect(readPushNote(NOTE)).toEqual(NOTE);
    for (const wrong of [null, 7, 'x', {}, [], { ...NOTE, session: '../x' }, { ...NOTE, state: 'x' }])
      expect(readPushNote(wrong)).toBeNull();
  });

  it('[A5] shows text, whatever the note contains', () => {
    expect(readPushNote({ ...NOTE, name: 'a\u202eb\n', text: '\x1b[31m' })).toMatchObject({
      name: 'ab',
      text: '[31m',
    });
  });
});

describe('a click on a notification', () => {
  const page = (url: string, visibilityState = 'hidden', focused = false) => ({
    url,
    visibilityState,
    focused,
  });

  it("[A5] looks for pages of this workspace, also among those whose name begins like this one's", () => {
    const mine = [page('https://a.example/w/local'), page('https://a.example/w/local/?renderer=dom#x')];
    const others = [
      page('https://a.example/w/local-2'),
      page('https://a.example/w/local/x'),
      page('https://a.example/status/local'),
    ];
    expect(pagesAt([...others, ...mine], '/w/local')).toEqual(mine);
  });

  it('[A5] shows the one with the focus, or a visible one, or any', () => {
    const [hidden, visible, focused] = [page('a'), page('b', 'visible'), page('c', 'visible', true)];
    expect(windowToShow([hidden, visible, focused])).toBe(focused);
    expect(windowToShow([hidden, visible])).toBe(visible);
    expect(windowToShow([hidden])).toBe(hidden);
    expect(windowToShow([])).toBeUndefined();
  });

  it('[A5] opens the page of that session, whatever its id is', () => {
    expect(addressOf('/w/local', 's1')).toBe('/w/local?session=s1');
    expect(addressOf('/w/local', 'a&b#c')).toBe('/w/local?session=a%26b%23c');
  });

  it('[A5] is told to a page by a message that is whole', () => {
    expect(readShowSession({ type: 'show_session', session: 's1' })).toMatchObject({ session: 's1' });
    for (const wrong of [null, undefined, 'x', {}, { type: 'show_session' }, { type: 'x', session: 's1' }])
      expect(readShowSession(wrong)).toBeNull();
  });
});
