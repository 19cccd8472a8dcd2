/** The field for text that is written before it is sent, without a DOM. */
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../../client/outbox/input-deliveries.ts';
import {
  COMPOSED_KEPT_MAX,
  COMPOSED_KEPT_MAX_CHARS,
  COMPOSED_MAX_BYTES,
} from '../../../../protocol/limits.ts';
import { Composer } from '../../../../web/ui/composer/composer.ts';
import { DraftMemory, SentTexts } from '../../../../web/ui/composer/stored-texts.ts';
import { composedInput } from '../../../../web/ui/view/composed-input.ts';
import { FakeStorage } from '../tabs/fake-storage.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function story({ window = new FakeStorage(), browser = new FakeStorage(), canSend = true } = {}) {
  const sending: { text: string; withEnter: boolean; settle: (delivery: Delivery) => void }[] = [];
  const sent = new SentTexts(browser, 'local');
  const composer = new Composer({
    draft: new DraftMemory(window, 'local'),
    sent,
    send: (text, withEnter, settle) => {
      if (canSend) sending.push({ text, withEnter, settle });
      return canSend;
    },
  });
  return { composer, sending, sent, window, browser, view: () => composer.current() };
}

describe('a composed text', () => {
  it('[J5] is sent once, leaves the field, and is in the history once the program has taken it', () => {
    const { composer, sending, view } = story();
    composer.write('make me a sandwich');
    composer.send(true);
    composer.send(true);
    expect(view()).toMatchObject({ text: '', isSending: true, canSend: false, note: 'Sending…' });
    composer.write('now');
    composer.send(false);
    expect(sending.map(({ text, withEnter }) => [text, withEnter])).toEqual([['make me a sandwich', true]]);
    expect(composer.history).toEqual([]);
    sending[0]?.settle('taken');
    expect(view()).toMatchObject({ text: 'now', isSending: false, canSend: true, note: 'Sent' });
    expect(composer.history).toEqual(['make me a sandwich']);
  });

  it.each([
    ['dropped', 'Not sent. The connection was away for too long.'],
    ['unsure', 'Check the terminal before you send this again. Part of it may have arrived.'],
  ] as const)(
    '[J5] that was %s comes back into the field, before what was written since',
    (delivery, note) => {
      const { composer, sending, view } = story();
      composer.write('first');
      composer.send(true);
      composer.write('second');
      sending[0]?.settle(delivery);
      expect(view()).toMatchObject({ text: 'first\nsecond', note, isSending: false });
      expect(composer.history).toEqual([]);
    },
  );

  it('[J5] that is refused stays in the field', () => {
    const { composer, view } = story({ canSend: false });
    composer.write('text');
    composer.send(true);
    expect(view()).toMatchObject({ text: 'text', note: 'Not sent. This terminal cannot take it now.' });
    expect(composer.history).toEqual([]);
  });

  it('[J5] has a limit, and nothing beyond it is sent or kept over a reload', () => {
    const { composer, sending, view, window } = story();
    const fits = 'é'.repeat(COMPOSED_MAX_BYTES / 2);
    composer.write(fits);
    expect(view()).toMatchObject({ canSend: true, note: '' });
    composer.write(`${fits}x`);
    composer.send(true);
    expect(view()).toMatchObject({ canSend: false, note: 'Too long: at most 64 KB can be sent at once.' });
    expect(sending).toEqual([]);
    expect(new DraftMemory(window, 'local').draft.text).toBe(fits);
  });

  it('[J5] is not sent if nothing of it can be pasted', () => {
    const { composer, sending, view } = story();
    composer.write('\x1b\x07');
    composer.send(true);
    expect([view().canSend, sending]).toEqual([false, []]);
  });

  it('[J5] survives a reload, and what was being sent comes back with a warning', () => {
    const { composer, window, browser } = story();
    composer.open();
    composer.write('draft');
    expect(story({ window, browser }).view()).toMatchObject({ isOpen: true, text: 'draft', note: '' });
    composer.send(false);
    composer.write('more');
    expect(story({ window, browser }).view()).toMatchObject({
      text: 'draft\nmore',
      note: expect.stringMatching(/^Check/),
    });
    composer.close();
    expect(story({ window, browser }).view().isOpen).toBe(false);
  });
});

describe('the history of composed texts', () => {
  it('[J5] is bounded in count, newest first, and each text is in it once', () => {
    const { sent } = story();
    for (let i = 0; i <= COMPOSED_KEPT_MAX; i++) sent.add(`text ${i}`);
    sent.add('text 7');
    expect(sent.list).toHaveLength(COMPOSED_KEPT_MAX);
    expect(sent.list.slice(0, 2)).toEqual(['text 7', `text ${COMPOSED_KEPT_MAX}`]);
    expect(sent.list).not.toContain('text 0');
  });

  it('[J5] is bounded in length', () => {
    const { sent } = story();
    const half = COMPOSED_KEPT_MAX_CHARS / 2;
    sent.add('a'.repeat(half));
    sent.add('b'.repeat(half));
    expect(sent.list.map((one) => one.charAt(0))).toEqual(['b', 'a']);
    sent.add('c');
    expect(sent.list.map((one) => one.charAt(0))).toEqual(['c', 'b']);
  });

  it('[J5] belongs to one workspace and can be cleared; what cannot be read is empty', () => {
    const { browser, composer, sent } = story();
    sent.add('text');
    expect(new SentTexts(browser, 'other').list).toEqual([]);
    composer.clearHistory();
    expect([composer.history, browser.keys]).toEqual([[], []]);
    sent.add('text');
    composer.write('draft');
    composer.forget();
    expect([composer.history, composer.current().text]).toEqual([[], '']);
    for (const broken of ['{', '"text"', JSON.stringify(Array(COMPOSED_KEPT_MAX + 1).fill('x'))]) {
      browser.setItem('holdfast/composed/local', broken);
      expect(sent.list).toEqual([]);
    }
    const full = { getItem: () => null, setItem: () => fail(), removeItem: () => fail() };
    new SentTexts(full, 'local').add('text');
  });
});

function fail(): never {
  throw new Error('full');
}

describe('the input of a composed text', () => {
  it.each([
    [{ isBracketed: true, withEnter: true }, '\x1b[200~one\rtwo\r\x1b[201~\r'],
    [{ isBracketed: true, withEnter: false }, '\x1b[200~one\rtwo\r\x1b[201~'],
    [{ isBracketed: false, withEnter: true }, 'one\rtwo\r\r'],
    [{ isBracketed: false, withEnter: false }, 'one\rtwo\r'],
  ])('[J5] is a paste: %j', (manner, expected) => {
    expect(text(composedInput('one\r\ntwo\n', manner))).toBe(expected);
  });

  it('[J5] cannot end its paste, nor contain other control characters', () => {
    const hostile = 'a\x1b[201~\rb\u009b201~\x03c\td 👩🏽‍🚀';
    const manner = { isBracketed: true, withEnter: false };
    expect(text(composedInput(hostile, manner))).toBe('\x1b[200~a[201~\rb201~c\td 👩🏽‍🚀\x1b[201~');
  });
});
