/** The example of RFC 8291, section 5 and appendix A, and a browser of ours that decrypts. */
import { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeBase64url, encodeBase64url } from '../../../protocol/base64url.ts';
import { PUSH_CONTENT_BYTES } from '../../../protocol/limits.ts';
import { encryptPush, importPushKeys } from '../../../worker/push/push-encryption.ts';
import { Browser } from '../../support/push-browser.ts';

const RFC = {
  content: 'When I grow up, I want to be a watermelon',
  sender: {
    d: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
    point: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  },
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

const bytes = (text: string) => new TextEncoder().encode(text);

async function senderOfRfc(): Promise<CryptoKeyPair> {
  const point = decodeBase64url(RFC.sender.point, 65) ?? new Uint8Array();
  const [x, y] = [point.slice(1, 33), point.slice(33)].map(encodeBase64url);
  const jwk = { kty: 'EC', crv: 'P-256', x, y } as JsonWebKey;
  const ecdh = { name: 'ECDH', namedCurve: 'P-256' };
  const { subtle } = webcrypto as unknown as Crypto;
  return {
    publicKey: await subtle.importKey('jwk', jwk, ecdh, true, []),
    privateKey: await subtle.importKey('jwk', { ...jwk, d: RFC.sender.d }, ecdh, false, ['deriveBits']),
  } as CryptoKeyPair;
}

describe('the content of a push', () => {
  it('[A5] is encrypted as in the example of the RFC', async () => {
    const salt = decodeBase64url(RFC.salt, 16) ?? new Uint8Array();
    const made = { pair: await senderOfRfc(), salt };
    const body = await encryptPush(bytes(RFC.content), RFC.keys, 0, made);
    expect(encodeBase64url(body ?? new Uint8Array())).toBe(RFC.body);
  });

  it('[A5] is decrypted by the browser that subscribed, and by no other', async () => {
    const [browser, other] = [await Browser.open(), await Browser.open()];
    const body = await encryptPush(bytes('héllo'), browser.keys);
    expect(browser.decrypt(Buffer.from(body ?? []))).toBe('héllo');
    expect(() => other.decrypt(Buffer.from(body ?? []))).toThrow();
  });

  it('[A5] has the same length whatever it says, within what services accept', async () => {
    const { keys } = await Browser.open();
    const sizes = await Promise.all(
      ['', 'x', 'x'.repeat(PUSH_CONTENT_BYTES)].map(
        async (text) => (await encryptPush(bytes(text), keys))?.length,
      ),
    );
    expect(new Set(sizes).size).toBe(1);
    expect(sizes[0]).toBeLessThanOrEqual(4096);
  });

  it('[A5] differs each time', async () => {
    const { keys } = await Browser.open();
    const [a, b] = [await encryptPush(bytes('x'), keys), await encryptPush(bytes('x'), keys)];
    expect(a).not.toEqual(b);
  });

  it.each([
    ['nothing', { p256dh: '', auth: '' }],
    ['a key that is too short', { ...RFC.keys, p256dh: RFC.keys.p256dh.slice(1) }],
    ['a point beside the curve', { ...RFC.keys, p256dh: encodeBase64url(new Uint8Array(65).fill(4)) }],
    ['a secret that is too long', { ...RFC.keys, auth: `${RFC.keys.auth}AA` }],
    ['another alphabet', { ...RFC.keys, p256dh: RFC.keys.p256dh.replaceAll('-', '+') }],
  ])('[A5] is not encrypted for %s', async (_, keys) => {
    expect(await importPushKeys(keys)).toBeNull();
    expect(await encryptPush(bytes('x'), keys)).toBeNull();
  });
});
