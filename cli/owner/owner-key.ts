/**
 * The key of a relay's owner: an Ed25519 key in `owner.json`, readable by its owner only, in the state directory of
 * `holdfast up`, `holdfast relay` or `npm start`, or where `holdfast deploy` ran. The relay has the public half.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { join } from 'node:path';
import { makeSecretDirectory, readPrivateFile, writePrivateFile } from '../../node/private-file.ts';
import { StartError } from '../../node/start-error.ts';
import { OWNER_PROOF_TYPE } from '../../protocol/owner.ts';

/** The relay allows more, for clocks that differ. */
const PROOF_LIFETIME_S = 60;

interface OwnerFile {
  /** Where the relay is reached; null until it has run once. */
  readonly relay: string | null;
  /** The public and the private half, as in a JWK. */
  readonly x: string;
  readonly d: string;
}

export interface RelayOwner {
  readonly relay: URL | null;
  /** As RELAY_OWNER_KEY takes it. */
  readonly publicKey: string;
  /** A JWT that proves the key to the relay at this origin, for about one request. */
  prove(origin: string): string;
}

export const ownerFile = (stateDir: string) => join(stateDir, 'owner.json');

/** Null if there is none. Throws a StartError if the file cannot be used. */
export async function readOwner(stateDir: string): Promise<RelayOwner | null> {
  const file = await readFile(ownerFile(stateDir));
  return file === null ? null : ownerOf(file, ownerFile(stateDir));
}

/** Makes a key if there is none. `relay`: the address to remember with it, if it is known. */
export async function keepOwner(stateDir: string, relay?: URL): Promise<RelayOwner> {
  const found = await readFile(ownerFile(stateDir));
  const file = { ...(found ?? newKey()), ...(relay === undefined ? {} : { relay: relay.origin }) };
  if (found === null || file.relay !== found.relay) await write(stateDir, file);
  return ownerOf(file, ownerFile(stateDir));
}

/** Replaces the key; what the previous one made is worth nothing once the relay has the new one. */
export async function replaceOwner(stateDir: string, relay: URL): Promise<RelayOwner> {
  const file = { ...newKey(), relay: relay.origin };
  await write(stateDir, file);
  return ownerOf(file, ownerFile(stateDir));
}

async function write(stateDir: string, file: OwnerFile): Promise<void> {
  await makeSecretDirectory(stateDir);
  await writePrivateFile(ownerFile(stateDir), `${JSON.stringify(file, null, 2)}\n`);
}

function newKey(): OwnerFile {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { relay: null, x, d };
}

async function readFile(path: string): Promise<OwnerFile | null> {
  let text: string;
  try {
    text = await readPrivateFile(path);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new StartError(`${path} cannot be read (${code}).`);
  }
  const { relay = null, x, d } = parsed(text);
  if (typeof x !== 'string' || typeof d !== 'string') throw noKey(path);
  return { relay: typeof relay === 'string' && URL.canParse(relay) ? relay : null, x, d };
}

const noKey = (path: string) =>
  new StartError(`${path} holds no owner's key; restore it, or delete it to have a new one made.`);

/** By hand, because `npm start` keeps this code in memory as long as it runs. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function ownerOf({ relay, x, d }: OwnerFile, path: string): RelayOwner {
  const key = keyOf(x, d, path);
  return {
    relay: relay === null ? null : new URL(relay),
    publicKey: x,
    prove: (origin) => {
      const iat = Math.floor(Date.now() / 1000);
      const parts = [
        { alg: 'EdDSA', typ: OWNER_PROOF_TYPE },
        { aud: origin, iat, exp: iat + PROOF_LIFETIME_S },
      ];
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
      return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
    },
  };
}

function keyOf(x: string, d: string, path: string): KeyObject {
  try {
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });
  } catch {
    throw noKey(path);
  }
}
