/** Reads RELAY_PUBLIC_KEY, the public keys of a platform's own login: a JWK, a JWK set, or PEM blocks. */
import * as v from 'valibot';
import { errorName, log } from '../platform/log.ts';
import { importEd25519Jwk, importEd25519Pem, type NamedKey } from './jwt.ts';

const jwkSchema = v.object({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  x: v.string(),
  kid: v.optional(v.string()),
});

/** Read once per isolate; the setting does not change while a Worker runs. */
let read: { readonly setting: string; readonly keys: Promise<NamedKey[]> } | undefined;

export function publicKeys(setting: string | undefined): Promise<NamedKey[]> {
  if (setting === undefined || setting.trim() === '') return Promise.resolve([]);
  if (read?.setting !== setting) read = { setting, keys: readPublicKeys(setting) };
  return read.keys;
}

/** If the setting cannot be read, an error is logged and no EdDSA token is accepted. HS256 tokens still work. */
async function readPublicKeys(setting: string): Promise<NamedKey[]> {
  try {
    return await (setting.trim().startsWith('{') ? readJwks(setting) : readPems(setting));
  } catch (error) {
    log('error', 'public_key_unusable', { error: errorName(error) });
    return [];
  }
}

function readJwks(setting: string): Promise<NamedKey[]> {
  const json = JSON.parse(setting) as { keys?: unknown };
  const jwks = v.parse(v.array(jwkSchema), Array.isArray(json.keys) ? json.keys : [json]);
  // The schema drops a private part, in case somebody has pasted one.
  return Promise.all(jwks.map(async ({ kid, ...jwk }) => ({ kid, key: await importEd25519Jwk(jwk) })));
}

/** Settings pages often store a newline as the two characters `\n`. */
function readPems(setting: string): Promise<NamedKey[]> {
  const pems = setting
    .replaceAll('\\n', '\n')
    .match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g);
  if (pems === null) throw new Error('no key in it');
  return Promise.all(pems.map(async (pem) => ({ kid: undefined, key: await importEd25519Pem(pem) })));
}
