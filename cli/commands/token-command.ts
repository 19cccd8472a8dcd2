/** `holdfast token`: creates a token and prints it. */

import { readFileSync } from 'node:fs';
import { print } from '../../node/print.ts';
import { writePrivateFile } from '../../node/private-file.ts';
import { SUB_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { type Role, roleSchema } from '../../protocol/roles.ts';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import type { Command, Input } from '../command-line/command.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { readLifetime } from '../command-line/lifetime.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { claimsAskedBy, mintToken, mintTokenByKey, type TokenRequest } from '../relay/mint-token.ts';

/** The relay's own minimum, checked here so that no token is made that the relay would refuse. */
const SECRET_MIN_BYTES = 32;

export const tokenCommand: Command = {
  name: 'token',
  summary: 'make a token for an agent, a person or a viewer',
  about: `Makes a token for one workspace and prints it. It needs the relay's secret, or a private key whose public key is in the
relay's RELAY_PUBLIC_KEY. Both are read from files, because other users can read arguments and environments.`,
  options: {
    workspace: {
      value: '<name>',
      short: 'w',
      meaning: 'the one workspace the token is for (HOLDFAST_WORKSPACE)',
    },
    role: {
      value: '<role>',
      meaning: 'agent: for the machine; operator: may do everything; viewer: watches',
    },
    expires: { value: '<time>', meaning: 'how long it is valid: 90s, 15m, 12h or 30d' },
    'secret-file': {
      value: '<file>',
      meaning: "file with the relay's RELAY_SECRET (`holdfast up` and `relay`, `npm start`: relay-secret)",
    },
    'private-key-file': { value: '<file>', meaning: 'or a file with an Ed25519 key, PKCS #8 PEM' },
    'key-id': { value: '<kid>', meaning: 'id of the key (the header `kid`), if the relay has several' },
    region: {
      value: '<region>',
      meaning: 'region of the machine (weur, enam, …), in case a client connects before the agent',
    },
    repin: {
      meaning: 'with --role agent: let a rebuilt machine replace the pinned key',
    },
    name: { value: '<name>', meaning: 'who it is for: the name that others see (the claim `sub`)' },
    audience: {
      value: '<text>',
      meaning: 'the claim `aud`, for a relay that requires it (RELAY_AUDIENCE)',
    },
    issuer: { value: '<text>', meaning: 'the claim `iss`, for a relay that requires it (RELAY_ISSUER)' },
    out: { value: '<file>', meaning: 'write it to this file, readable by you only, instead of printing it' },
    link: { value: '<url>', meaning: 'print a link for a browser instead, to the relay at this address' },
  },
  examples: [
    [
      'holdfast token -w build-7 --role agent --expires 30d --secret-file relay-secret --out agent-token',
      'for the machine',
    ],
    [
      'holdfast token -w build-7 --role operator --expires 12h --secret-file relay-secret --link https://relay.example.com',
      'a link that opens the terminal in a browser',
    ],
  ],
  async run(input) {
    const request: TokenRequest = {
      workspace: readWorkspace(input.text('workspace') ?? process.env.HOLDFAST_WORKSPACE),
      role: readRole(input.text('role')),
      lifetimeSeconds: readLifetime(input.text('expires')),
      repin: input.has('repin'),
      ...claimsOf(input),
    };
    if (request.repin && request.role !== 'agent') throw new UsageError('--repin needs --role agent');
    const link = readLink(input.text('link'), request);
    const token = await sign(request, input);
    await deliver(link === null ? token : `${link}#token=${token}`, input.text('out'));
    return EXIT.ok;
  },
};

/** Written readable by its owner only, because agents and clients refuse a token file that others can read. */
async function deliver(text: string, file: string | undefined): Promise<void> {
  if (file === undefined) return print(text);
  try {
    await writePrivateFile(file, `${text}\n`);
  } catch (error) {
    throw new CommandError(EXIT.failed, `cannot write ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

function sign(request: TokenRequest, input: Input): Promise<string> {
  const [secretFile, keyFile] = [input.text('secret-file'), input.text('private-key-file')];
  if ((secretFile === undefined) === (keyFile === undefined)) {
    throw new UsageError('give one of --secret-file and --private-key-file');
  }
  if (keyFile === undefined) return mintToken(request, readSecret(secretFile ?? ''));
  return mintTokenByKey(request, readPrivate(keyFile), input.text('key-id'));
}

function claimsOf(input: Input): Pick<TokenRequest, 'region' | 'name' | 'audience' | 'issuer'> {
  const name = input.text('name');
  if (name !== undefined && (name === '' || name !== printable(name)))
    throw new UsageError(`--name needs 1 to ${SUB_MAX_CHARS} printable characters`);
  const asked = claimsAskedBy(process.env);
  return {
    region: input.text('region'),
    name,
    audience: input.text('audience') ?? asked.audience,
    issuer: input.text('issuer') ?? asked.issuer,
  };
}

/** The page reads the token from the fragment, which browsers do not send, and removes it. */
function readLink(text: string | undefined, { role, workspace }: TokenRequest): URL | null {
  if (text === undefined) return null;
  if (role === 'agent') throw new UsageError('--link needs --role operator or viewer');
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError('--link needs the address of the relay, such as https://relay.example.com');
  return new URL(`/w/${workspace}`, text);
}

function readWorkspace(text: string | undefined): string {
  if (text !== undefined && WORKSPACE_NAME.test(text)) return text;
  throw new UsageError('--workspace needs a name of 1 to 64 letters, digits, - and _');
}

function readRole(text: string | undefined): Role {
  const role = roleSchema.options.find((one) => one === text);
  if (role === undefined) throw new UsageError('--role must be agent, operator or viewer');
  return role;
}

function readSecret(file: string): string {
  const secret = readPrivate(file);
  if (Buffer.byteLength(secret) < SECRET_MIN_BYTES) {
    throw new UsageError(`${file} has fewer than ${SECRET_MIN_BYTES} bytes; a relay refuses such a secret`);
  }
  return secret;
}

/** Secrets come from files, because arguments and environments can be read through /proc. */
function readPrivate(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
