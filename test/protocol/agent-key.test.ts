import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeChallenge, encodeChallenge, isSameText } from '../../protocol/agent-key.ts';
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts';
import { VECTOR } from '../support/agent-key-vector.ts';
import { checkProperty } from '../support/property.ts';

describe('base64url', () => {
  it('[AK1] encodes as Node does, and decodes it again', () => {
    const sized = fc.uint8Array({ maxLength: 70 });
    checkProperty(
      'agent-key',
      fc.property(sized, (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(encodeBase64url(bytes)).toBe(text);
        expect(decodeBase64url(text, bytes.length)).toEqual(new Uint8Array(bytes));
      }),
    );
  });

  it.each([
    ['31 bytes', 'A'.repeat(42)],
    ['33 bytes', 'A'.repeat(44)],
    ['padding', `${'A'.repeat(42)}=`],
    ['the other alphabet', `+${'A'.repeat(42)}`],
    ['unused bits that are not zero', `${'A'.repeat(42)}B`],
    ['nothing', ''],
  ])('[AK1] accepts only one spelling of 32 bytes: %s', (_, text) => {
    expect(decodeBase64url(text, 32)).toBeNull();
  });
});

describe('a challenge', () => {
  it('[AK3] consists of a key and a nonce', () => {
    const text = `${VECTOR.relayKey}.${VECTOR.nonce}`;
    const challenge = decodeChallenge(text);
    expect(challenge).not.toBeNull();
    if (challenge !== null) expect(encodeChallenge(challenge)).toBe(text);
  });

  it.each([
    '',
    '.',
    VECTOR.relayKey,
    `${VECTOR.relayKey}.`,
    `${VECTOR.relayKey}.${VECTOR.nonce}.`,
    `${VECTOR.relayKey},${VECTOR.nonce}`,
  ])('[AK3] is nothing else: %j', (text) => {
    expect(decodeChallenge(text)).toBeNull();
  });
});

it('[AK4] proofs are compared in full', () => {
  expect(isSameText(VECTOR.mac, VECTOR.mac)).toBe(true);
  for (let i = 0; i < VECTOR.mac.length; i++) {
    const other = `${VECTOR.mac.slice(0, i)}!${VECTOR.mac.slice(i + 1)}`;
    expect(isSameText(VECTOR.mac, other)).toBe(false);
  }
  expect(isSameText(VECTOR.mac, VECTOR.mac.slice(1))).toBe(false);
});
