/** Attacks on the routes of a relay's owner and on joining: by strangers, and with what they may have got hold of. */
import { generateKeyPairSync } from 'node:crypto';
import type { Attack } from './attack.ts';
import { repeat } from './attacker-tools.ts';
import type { AttackerTarget } from './scene.ts';

const PARALLEL = 16;
const KEY = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x;

type Headers = Readonly<Record<string, string>>;

async function ask(relay: string, method: string, path: string, headers: Headers, body?: object) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(new URL(path, relay), { method, headers, ...sent });
  await response.arrayBuffer();
}

const join = ({ relay }: AttackerTarget, code: string, more: object = { name: 'mine' }) =>
  ask(relay, 'POST', '/api/join', { Authorization: `Invite ${code}` }, { key: KEY, ...more });

/** As the owner's page sends it. */
const cookieOf = ({ relay, stolen }: AttackerTarget): Headers => ({
  Cookie: stolen?.cookie ?? '',
  Origin: new URL(relay).origin,
});

/** A proof like a real one, with another signature each time. */
function proofLike({ relay }: AttackerTarget, turn: number): string {
  const now = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'EdDSA', typ: 'holdfast-owner-proof' },
    { aud: new URL(relay).origin, iat: now, exp: now + 60 },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = Buffer.alloc(64, 7);
  signature.writeUInt32BE(turn);
  return `${text}.${signature.toString('base64url')}`;
}

export const OWNER_REQUESTS: readonly Attack[] = [
  {
    id: 'join codes',
    what: 'somebody tries codes to join with, each like a real one, sixteen at a time',
    needsFleet: true,
    run: (target) => {
      let tried = 0;
      const likeReal = target.stolen?.invite.slice(0, -6) ?? '';
      return repeat(PARALLEL, () => join(target, `${likeReal}${(tried++ % 90_000) + 100_000}`));
    },
  },
  {
    id: 'join used',
    what: 'a machine tries to join with an invite that was used, sixteen at a time',
    needsFleet: true,
    run: (target) => repeat(PARALLEL, () => join(target, target.stolen?.usedInvite ?? '')),
  },
  {
    id: 'join refused',
    what: 'a machine tries to join where there is no room, so that its invite stays unused, sixteen at a time',
    needsFleet: true,
    run: (target) => repeat(PARALLEL, () => join(target, target.stolen?.invite ?? '')),
  },
  {
    id: 'owner proofs',
    what: "somebody tries proofs of the owner's key, each with another signature, sixteen at a time",
    needsFleet: true,
    run: (target) => {
      let tried = 0;
      return repeat(PARALLEL, () => {
        const headers = { Authorization: `Owner ${proofLike(target, tried++)}` };
        return ask(target.relay, 'GET', '/api/owner/machines', headers);
      });
    },
  },
  {
    id: 'owner list',
    what: "a thief of the owner's cookie lists a thousand machines, sixteen at a time",
    needsFleet: true,
    run: (target) =>
      repeat(PARALLEL, () => ask(target.relay, 'GET', '/api/owner/machines', cookieOf(target))),
  },
  {
    id: 'owner links',
    what: "a thief of the owner's cookie makes links for other machines, sixteen at a time",
    needsFleet: true,
    run: (target) => {
      let made = 0;
      const wanted = { role: 'operator', seconds: 600 };
      return repeat(PARALLEL, () =>
        ask(target.relay, 'POST', `/api/owner/machines/m-${made++}/links`, cookieOf(target), wanted),
      );
    },
  },
  {
    id: 'owner trails',
    what: "a thief of the owner's cookie reads the audit trails of other workspaces, sixteen at a time",
    needsFleet: true,
    run: (target) => {
      let read = 0;
      return repeat(PARALLEL, () => {
        const path = `/api/workspaces/${`machine-${read++ % 1000}`.padEnd(64, 'x')}/audit`;
        return ask(target.relay, 'GET', path, cookieOf(target));
      });
    },
  },
];
