/**
 * Codes with which another device opens the page: what a ticket is, in few enough characters for a small QR code. The
 * object enforces that a code is used once, as for tickets. Rules GT7 and GT13.
 *
 *   <expires>.<id>.<role>.<token's role>.<token's id>.<token expires>.<issued>.<name>.<region>.<check value>
 *
 * Times are seconds in base 36. A field with other characters than letters, digits, - and _ is `!` and base64url, so that
 * a link needs no escapes. The workspace is in the path, and part of the check value.
 */
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts';
import { DEVICE_CODE_MAX_CHARS } from '../../protocol/limits.ts';
import { type ClientRole, clientRoleSchema } from '../../protocol/roles.ts';
import { type Claims, isGuest, readClaims } from '../../protocol/token.ts';
import type { JwtVerdict, Secrets } from './jwt.ts';
import { isMacOf, macOf } from './secret-mac.ts';

export interface DeviceCode {
  /** The claims of the token behind the login that made the code. */
  readonly token: Claims;
  readonly role: ClientRole;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly jti: string;
}

const ID_BYTES = 9;

export const newCodeId = () => encodeBase64url(crypto.getRandomValues(new Uint8Array(ID_BYTES)));

export async function signDeviceCode(
  { token, role, exp, jti }: DeviceCode,
  secrets: Secrets,
): Promise<string> {
  // It has no field for what a guest is limited to.
  if (isGuest(token)) throw new Error('invariant: a guest lets nobody in');
  const { ws, role: tokenRole, jti: tokenId, exp: tokenExp, iat, sub = '', region = '' } = token;
  const times = [tokenExp, iat].map((time) => time?.toString(36) ?? '');
  const fields = [exp.toString(36), jti, role, tokenRole, tokenId, ...times, sub, region];
  const text = fields.map(encodeField).join('.');
  return `${text}.${await macOf(purposeOf(ws), text, secrets.secret)}`;
}

export async function verifyDeviceCode(
  code: string,
  workspace: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<DeviceCode>> {
  const [, text = '', mac = ''] = /^(.+)\.([\w-]+)$/.exec(code.slice(0, DEVICE_CODE_MAX_CHARS + 1)) ?? [];
  const isOurs =
    code.length <= DEVICE_CODE_MAX_CHARS && (await isMacOf(mac, purposeOf(workspace), text, secrets));
  const read = isOurs ? readFields(text, workspace) : null;
  if (read === null) return { ok: false, reason: 'invalid', why: NOT_OURS };
  if (read.exp * 1000 <= now) return { ok: false, reason: 'expired', why: 'This code has expired.' };
  return { ok: true, claims: read };
}

const NOT_OURS = 'This code is not of this relay and workspace, or was not copied completely.';

const purposeOf = (workspace: string) => `device code ${workspace}`;

/** Only what was signed here gets this far. Null for a code of a newer or older version. */
function readFields(text: string, ws: string): DeviceCode | null {
  const fields = text.split('.').map(decodeField);
  const [exp = '', jti = '', role, tokenRole, tokenId, tokenExp = '', iat = '', sub, region] = fields;
  const token = readClaims({
    ...{ ws, role: tokenRole, jti: tokenId, exp: Number.parseInt(tokenExp, 36) },
    ...(iat === '' ? {} : { iat: Number.parseInt(iat, 36) }),
    ...(sub ? { sub } : {}),
    ...(region ? { region } : {}),
  });
  const known = clientRoleSchema.options.find((one) => one === role);
  const expires = Number.parseInt(exp, 36);
  // Compared with a number that is none, no time is too late.
  if (token === null || known === undefined || jti === '' || Number.isNaN(expires)) return null;
  return { token, role: known, exp: expires, jti };
}

const encodeField = (text: string) =>
  /^[\w-]*$/.test(text) ? text : `!${encodeBase64url(new TextEncoder().encode(text))}`;

function decodeField(field: string): string {
  if (!field.startsWith('!')) return field;
  const bytes = decodeBase64url(field.slice(1), Math.floor(((field.length - 1) * 3) / 4));
  return bytes === null ? '' : new TextDecoder().decode(bytes);
}
