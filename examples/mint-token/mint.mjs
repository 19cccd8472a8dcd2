/**
 * Makes tokens for Holdfast in a Node back end, with nothing but Node (20 and newer).
 *
 *   node mint.mjs <file> <workspace> <role> <seconds>
 *
 * The file holds the relay's secret (RELAY_SECRET), or an Ed25519 private key in PEM whose public half the relay has in
 * RELAY_PUBLIC_KEY. Call mintToken() after your own login has said who somebody is and which workspace is theirs.
 */
import { createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const base64url = (value) => Buffer.from(value).toString('base64url');

export function mintToken({ secret, workspace, role, seconds }) {
  const isKey = secret.includes('PRIVATE KEY');
  const iat = Math.floor(Date.now() / 1000);
  const claims = { ws: workspace, role, iat, exp: iat + seconds, jti: randomBytes(12).toString('base64url') };
  const header = { alg: isKey ? 'EdDSA' : 'HS256', typ: 'JWT' };
  const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
  const signature = isKey
    ? sign(null, Buffer.from(signed), createPrivateKey(secret))
    : createHmac('sha256', secret).update(signed).digest();
  return `${signed}.${base64url(signature)}`;
}

const [file, workspace, role, seconds] = process.argv.slice(2);
if (file !== undefined) {
  const secret = readFileSync(file, 'utf8').trim();
  console.log(mintToken({ secret, workspace, role, seconds: Number(seconds) }));
}
