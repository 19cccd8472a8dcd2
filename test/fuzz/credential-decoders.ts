/** What the gate and the page read of codes, proofs and links: nothing but what was signed is accepted, and as it was. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { encodeBase64url } from '../../protocol/base64url.ts';
import { OWNER_PROOF_TYPE } from '../../protocol/owner.ts';
import { readCode, readJoined, readMachines, readToken } from '../../protocol/owner-answers.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import { readPastedLink } from '../../web/ui/login/pasted-link.ts';
import { signDeviceCode, verifyDeviceCode } from '../../worker/gate/device-code.ts';
import { type FleetCodeKind, makeFleetCode, verifyFleetCode } from '../../worker/gate/fleet-code.ts';
import type { JwtVerdict } from '../../worker/gate/jwt.ts';
import { signOwnerCookie, verifyOwnerCookie, verifyOwnerProof } from '../../worker/gate/owner.ts';
import { macOf } from '../../worker/gate/secret-mac.ts';
import type { Decoder } from './decoders.ts';

/** Of the inputs that other decoders get: most of these compute a signature. */
export const CREDENTIAL_SHARE = 0.1;

const NOW = Date.UTC(2026, 10, 18);
const NOW_S = NOW / 1000;
const WORKSPACE = 'build-7';
const ORIGIN = 'https://relay.example.com';
const KEYS = { secret: 'a secret for the fuzzer with more than thirty-two bytes' };

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytesOf = (value: string) => new TextEncoder().encode(value);
const jsonOf = (...values: readonly object[]) => values.map((value) => bytesOf(JSON.stringify(value)));

/** Whatever is not one of the examples must be refused. `isSpelling`: another spelling of the same signature may pass. */
export function onlyExamples(
  examples: readonly string[],
  verify: (value: string) => Promise<JwtVerdict<unknown>>,
  isSpelling: (value: string) => boolean = () => false,
): Pick<Decoder, 'examples' | 'read'> {
  return {
    examples: examples.map(bytesOf),
    async read(bytes) {
      const value = text(bytes);
      const isKnown = examples.includes(value) || isSpelling(value);
      if ((await verify(value)).ok && !isKnown) throw new Error('accepted what was not signed');
    },
  };
}

const TOKEN = { ws: WORKSPACE, role: 'operator', jti: 'token-id-1', exp: NOW_S + 3600, iat: NOW_S } as const;
const CODE = { role: 'operator', exp: NOW_S + 60, jti: 'code-id-1' } as const;
const deviceCodes = await Promise.all(
  [TOKEN, { ...TOKEN, sub: 'Ann B. é', region: 'weur' }].map((token) =>
    signDeviceCode({ ...CODE, token }, KEYS),
  ),
);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const owner = publicKey.export({ format: 'jwk' }).x ?? '';
const proof = [
  { alg: 'EdDSA', typ: OWNER_PROOF_TYPE },
  { aud: ORIGIN, iat: NOW_S, exp: NOW_S + 60 },
]
  .map((part) => encodeBase64url(bytesOf(JSON.stringify(part))))
  .join('.');
const ownerProof = `${proof}.${sign(null, Buffer.from(proof), privateKey).toString('base64url')}`;
const { cookie } = await signOwnerCookie(owner, KEYS, NOW);

/** The decoder of base64 skips some characters, so a signature has several spellings. What is signed has one. */
const withoutSignature = (jwt: string) => jwt.slice(0, jwt.lastIndexOf('.'));
const isSpellingOf = (jwt: string) => (value: string) => withoutSignature(value) === withoutSignature(jwt);

const fleetCode = async (kind: FleetCodeKind): Promise<Decoder> => {
  const { code } = await makeFleetCode(kind, owner, 600, KEYS, NOW);
  return { name: kind, ...onlyExamples([code], (value) => verifyFleetCode(kind, owner, value, KEYS, NOW)) };
};

export const CREDENTIAL_DECODERS: readonly Decoder[] = [
  {
    name: 'code for another device',
    ...onlyExamples(deviceCodes, (value) => verifyDeviceCode(value, WORKSPACE, KEYS, NOW)),
  },
  {
    name: 'signed fields of such a code',
    examples: deviceCodes.map((code) => bytesOf(withoutSignature(code))),
    async read(bytes) {
      const fields = text(bytes);
      const code = `${fields}.${await macOf(`device code ${WORKSPACE}`, fields, KEYS.secret)}`;
      const verdict = await verifyDeviceCode(code, WORKSPACE, KEYS, NOW);
      if (!verdict.ok) return;
      const { token, exp } = verdict.claims;
      if (!(exp > NOW_S && token.exp >= 0 && token.ws === WORKSPACE)) throw new Error('never expires');
    },
  },
  await fleetCode('invite'),
  await fleetCode('owner link'),
  {
    name: "proof of the owner's key",
    ...onlyExamples(
      [ownerProof],
      (value) => verifyOwnerProof(value, owner, ORIGIN, NOW),
      isSpellingOf(ownerProof),
    ),
  },
  {
    name: "owner's cookie",
    ...onlyExamples([cookie], (value) => verifyOwnerCookie(value, owner, KEYS, NOW), isSpellingOf(cookie)),
  },
  {
    name: 'pasted link',
    examples: [
      `${ORIGIN}/w/${WORKSPACE}#token=a.b.c`,
      `${ORIGIN}/w/${WORKSPACE}/?theme=dark#code=${deviceCodes[0]}`,
      `${ORIGIN}/#owner=${'A'.repeat(43)}`,
      `${ORIGIN}//w/${WORKSPACE}#ticket=a.b.c`,
    ].map(bytesOf),
    read(bytes) {
      for (const workspace of [null, WORKSPACE]) {
        const link = readPastedLink(text(bytes), { origin: ORIGIN, workspace });
        if (link.name !== 'link') continue;
        if (!/^(?:Bearer|Ticket|Code|Link) [!-~]+$/.test(link.credential)) throw new Error('no header');
        if (new URL(text(bytes).trim()).origin !== ORIGIN) throw new Error('of another relay');
        if (new URL(link.href, `${ORIGIN}/w/x`).origin !== ORIGIN) throw new Error('leads elsewhere');
        if (link.workspace !== null && !WORKSPACE_NAME.test(link.workspace)) throw new Error('no name');
        if (workspace !== null && link.workspace !== workspace) throw new Error('for another workspace');
      }
    },
  },
  {
    name: 'answer to the owner or to a machine that joins',
    examples: jsonOf(
      { workspace: WORKSPACE, token: 'aaaa.bbbb.cccc.dddd.eeee', fingerprint: 'SHA256:x', expiresAt: '' },
      { code: 'A'.repeat(43), expiresAt: '2026-11-18T09:00:00.000Z' },
      { machines: [{ name: 'a', fingerprint: 'SHA256:x', joinedAt: '2026-11-18T09:00:00.000Z' }] },
    ),
    read(bytes) {
      const answer = parsed(bytes);
      const joined = readJoined(answer);
      // Each of these becomes part of a line that people paste into a shell, or of a file of settings.
      for (const part of [readCode(answer), readToken(answer), joined?.token, joined?.workspace])
        if (/[^\w.!-]/.test(part ?? '')) throw new Error('a character that a shell reads');
      for (const { name, fingerprint } of readMachines(answer) ?? []) {
        if (!WORKSPACE_NAME.test(name)) throw new Error('no name');
        if (/\p{Cc}/u.test(fingerprint ?? '')) throw new Error('a control character');
      }
    },
  },
];

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text(bytes));
  } catch {
    return null;
  }
}
