import { describe, expect, it } from 'vitest';
import {
  CLOSE,
  closeCodeOfStatus,
  closeReason,
  closeSentence,
  mayBeSent,
  redialAfter,
} from '../../protocol/close-codes.ts';

/** The table of the wire: changing a row changes what deployed peers do. */
const TABLE = [
  { code: 1000, name: 'normal', redial: 'no' },
  { code: 1001, name: 'goingAway', redial: 'yes' },
  { code: 1006, name: 'abnormal', redial: 'yes' },
  { code: 1011, name: 'internalError', redial: 'yes' },
  { code: 4400, name: 'protocolError', redial: 'no' },
  { code: 4401, name: 'unauthorized', redial: 'renewed' },
  { code: 4403, name: 'forbidden', redial: 'no' },
  { code: 4404, name: 'notFound', redial: 'no' },
  { code: 4406, name: 'versionUnsupported', redial: 'no' },
  { code: 4408, name: 'silent', redial: 'yes' },
  { code: 4409, name: 'replaced', redial: 'no' },
  { code: 4413, name: 'tooLarge', redial: 'no' },
  { code: 4429, name: 'tooMany', redial: 'yes' },
] as const;

describe('close codes', () => {
  it('[WF9] match the table', () => {
    expect(CLOSE).toEqual(Object.fromEntries(TABLE.map(({ name, code }) => [name, code])));
  });

  it.each(TABLE)('[WF9] $code ($name) means: dial again, $redial', ({ code, redial }) => {
    expect(redialAfter(code)).toBe(redial);
  });

  it.each([1005, 1012, 1013, 3000, 4000, 4999, 0, -1, Number.NaN])(
    '[WF9] treats the foreign code %d as a network failure',
    (code) => {
      expect(redialAfter(code)).toBe('yes');
      expect(closeSentence(code)).toBe('The connection was closed.');
    },
  );

  it('[WF9] each have their own sentence for a person', () => {
    const sentences = TABLE.map(({ code }) => closeSentence(code));
    expect(new Set(sentences).size).toBe(TABLE.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it.each([
    { status: 401, code: CLOSE.unauthorized },
    { status: 403, code: CLOSE.forbidden },
    { status: 404, code: CLOSE.notFound },
    { status: 426, code: CLOSE.versionUnsupported },
    { status: 429, code: CLOSE.tooMany },
    { status: 500, code: CLOSE.abnormal },
    { status: 502, code: CLOSE.abnormal },
    { status: 200, code: CLOSE.abnormal },
  ])('[WF9] a refused upgrade with HTTP $status is $code', ({ status, code }) => {
    expect(closeCodeOfStatus(status)).toBe(code);
  });
});

describe('codes for closing a socket', () => {
  it.each([999, 1004, 1005, 1006, 1015, 1016, 2999, 5000])('[WF9] never include %i', (code) => {
    expect(mayBeSent(code)).toBe(false);
  });

  it.each([1000, 1001, 1002, 1003, 1007, 1011, 1014, 3000, 4000, 4999])('[WF9] may include %i', (code) => {
    expect(mayBeSent(code)).toBe(true);
  });

  it('[WF9] include every code of ours, except the one that only reports', () => {
    const unsendable = TABLE.filter(({ code }) => !mayBeSent(code)).map(({ name }) => name);
    expect(unsendable).toEqual(['abnormal']);
  });
});

describe('close reasons', () => {
  it.each([
    { sentence: 'no sign of life', reason: 'no sign of life' },
    { sentence: 'a naïve\nname \u{1f980}', reason: 'a na?ve?name ??' },
    { sentence: 'x'.repeat(200), reason: 'x'.repeat(123) },
    { sentence: 'é'.repeat(200), reason: '?'.repeat(123) },
  ])('[WF9] fit into 123 bytes: $reason', ({ sentence, reason }) => {
    expect(closeReason(sentence)).toBe(reason);
    expect(new TextEncoder().encode(closeReason(sentence)).length).toBeLessThanOrEqual(123);
  });
});
