/** `holdfast token`: makes a token and prints it. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Role } from '../protocol/messages.ts';
import { WORKSPACE_NAME } from '../protocol/token.ts';
import { mintToken, mintTokenByKey, type TokenRequest } from './mint-token.ts';
import { UsageError } from './usage-error.ts';

export const TOKEN_USAGE = `holdfast token --workspace <name> --role agent|operator|viewer --expires <time>
               (--secret-file <file> | --private-key-file <file> [--key-id <kid>]) [--region <region>]

  --workspace          the one workspace the token is for
  --role               agent: for the machine; operator: may do everything; viewer: watches
  --expires            how long it is good for: 90s, 15m, 12h or 30d
  --secret-file        file with the relay's RELAY_SECRET (of \`npm start\`: .holdfast/relay-secret)
  --private-key-file   file with an Ed25519 key (PKCS #8 PEM) whose public half is in RELAY_PUBLIC_KEY
  --region             where the machine is (weur, enam, …), for a client that may come before the agent`;

const UNIT_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const ROLES: readonly Role[] = ['agent', 'operator', 'viewer'];
/** What the relay asks of a secret, told before a token is made that it would not take. */
const SECRET_MIN_BYTES = 32;

export async function tokenCommand(args: readonly string[]): Promise<string> {
  const { values } = parse(args);
  const request: TokenRequest = {
    workspace: readWorkspace(values.workspace),
    role: readRole(values.role),
    lifetimeSeconds: readLifetime(values.expires),
    ...(values.region === undefined ? {} : { region: values.region }),
  };
  const { 'secret-file': secretFile, 'private-key-file': keyFile } = values;
  if ((secretFile === undefined) === (keyFile === undefined)) {
    throw new UsageError('give one of --secret-file and --private-key-file');
  }
  if (keyFile === undefined) return mintToken(request, readSecret(secretFile ?? ''));
  return mintTokenByKey(request, readPrivate(keyFile), values['key-id']);
}

function parse(args: readonly string[]) {
  const option = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        workspace: option,
        role: option,
        expires: option,
        region: option,
        'secret-file': option,
        'private-key-file': option,
        'key-id': option,
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readWorkspace(text: string | undefined): string {
  if (text !== undefined && WORKSPACE_NAME.test(text)) return text;
  throw new UsageError('--workspace wants a name of 1 to 64 letters, digits, - and _');
}

function readRole(text: string | undefined): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new UsageError('--role is agent, operator or viewer');
  return role;
}

export function readLifetime(text: string | undefined): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text ?? '') ?? [];
  const seconds = Number(count) * (UNIT_S[unit] ?? Number.NaN);
  if (!(seconds > 0)) throw new UsageError('--expires wants a time like 90s, 15m, 12h or 30d');
  return seconds;
}

function readSecret(file: string): string {
  const secret = readPrivate(file);
  if (Buffer.byteLength(secret) < SECRET_MIN_BYTES) {
    throw new UsageError(`${file} has fewer than ${SECRET_MIN_BYTES} bytes; the relay takes no such secret`);
  }
  return secret;
}

/** Secrets come from files: arguments and environments can be read through /proc. */
function readPrivate(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`${file} can not be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
